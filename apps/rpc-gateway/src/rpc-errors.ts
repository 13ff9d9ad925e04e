import { errorText, isCairnError } from '@cairn/errors';
import type {
  CallRejectionCode,
  ExecutionErrorCode,
  PooledRejectionCode,
  SimulationErrorCode,
} from '@cairn/evm-executor';
import { RpcError, type RpcErrorName } from '@cairn/jsonrpc-core';
import type { ProvenChainErrorCode } from '@cairn/proven-chain';
import type { ProvenStateErrorCode } from '@cairn/proven-state';
import { engineFailureOf } from '@cairn/stores';
import type { UpstreamErrorCode } from '@cairn/upstream';

/** Codes of library errors that clients may see: errors of requests and of the resources that they need. */
type KnownCode =
  | CallRejectionCode
  | PooledRejectionCode
  | SimulationErrorCode
  | 'TRACE_REFUSED'
  | 'TRACE_TOO_LARGE'
  | Exclude<ExecutionErrorCode, 'EXECUTION_FAILED'>
  | 'KEY_SCOPE_MISSING'
  | 'CONTRACT_NOT_ALLOWED'
  | 'METHOD_NOT_IN_PLAN'
  | 'LIMIT_REACHED'
  | 'VALUE_INVALID'
  | 'OVERRIDE_INVALID'
  | 'STATE_UNAVAILABLE'
  | 'TRANSACTION_UNSUPPORTED'
  | Exclude<UpstreamErrorCode, 'UPSTREAM_ANSWER_INVALID' | 'UPSTREAM_CONFIG_INVALID'>
  | ProvenChainErrorCode
  | ProvenStateErrorCode
  | 'BLOCK_CORRUPT'
  | 'STORE_CLOSED';

/** JSON-RPC error of each code. A new code of the executor does not compile until it has a row here. */
const rpcErrorNames = {
  KEY_SCOPE_MISSING: 'forbidden',
  CONTRACT_NOT_ALLOWED: 'forbidden',
  METHOD_NOT_IN_PLAN: 'forbidden',
  LIMIT_REACHED: 'limit',
  VALUE_INVALID: 'params',
  OVERRIDE_INVALID: 'server',
  CALL_FEES_MIXED: 'server',
  CALL_FEE_INVALID: 'server',
  CALL_FEE_BELOW_BASE: 'server',
  CALL_NONCE_TOO_LOW: 'server',
  CALL_NONCE_TOO_HIGH: 'server',
  CALL_NONCE_SPENT: 'server',
  SIMULATION_EMPTY: 'params',
  SIMULATION_TOO_LONG: 'server',
  SIMULATION_NUMBER_INVALID: 'server',
  SIMULATION_TIME_INVALID: 'server',
  SIMULATION_GAS_EXCEEDED: 'server',
  TRACE_REFUSED: 'server',
  SIMULATION_SYSTEM_CALL_FAILED: 'server',
  TRACE_TOO_LARGE: 'limit',
  CALL_FUNDS_INSUFFICIENT: 'server',
  CALL_GAS_TOO_LOW: 'server',
  CALL_GAS_BELOW_FLOOR: 'server',
  CALL_GAS_TOO_HIGH: 'server',
  CALL_BLOCK_GAS_EXCEEDED: 'server',
  CALL_SENDER_HAS_CODE: 'server',
  CALL_INITCODE_TOO_LARGE: 'server',
  CALL_BLOBS_INVALID: 'server',
  CALL_AUTHORIZATIONS_INVALID: 'server',
  CALL_CHAIN_ID_MISMATCH: 'server',
  POOLED_FEE_ABOVE_CAP: 'server',
  POOLED_UNPROTECTED: 'server',
  POOLED_TOO_LARGE: 'server',
  POOLED_TYPE_UNSUPPORTED: 'server',
  POOLED_INITCODE_TOO_LARGE: 'server',
  POOLED_GAS_TOO_HIGH: 'server',
  POOLED_BLOCK_GAS_EXCEEDED: 'server',
  POOLED_FEE_INVALID: 'server',
  POOLED_SENDER_INVALID: 'server',
  POOLED_NONCE_SPENT: 'server',
  POOLED_GAS_TOO_LOW: 'server',
  POOLED_GAS_BELOW_FLOOR: 'server',
  POOLED_BLOBS_INVALID: 'server',
  POOLED_AUTHORIZATIONS_INVALID: 'server',
  POOLED_NONCE_TOO_LOW: 'server',
  POOLED_FUNDS_INSUFFICIENT: 'server',
  STATE_UNAVAILABLE: 'server',
  TRANSACTION_UNSUPPORTED: 'server',
  UPSTREAM_NOT_FOUND: 'server',
  UPSTREAM_REFUSED: 'server',
  UPSTREAM_STATE_PRUNED: 'server',
  UPSTREAM_METHOD_UNSUPPORTED: 'server',
  UPSTREAMS_DISAGREE: 'unavailable',
  UPSTREAMS_UNAVAILABLE: 'unavailable',
  CONTENT_MISSING: 'server',
  ANCESTOR_UNPROVEN: 'server',
  BLOCK_RANGE_INVALID: 'params',
  HEADER_FORMAT_UNKNOWN: 'server',
  HEAD_UNAVAILABLE: 'unavailable',
  LOGS_TOO_MANY: 'limit',
  RECEIPTS_UNPROVEN: 'unavailable',
  RUN_READS_EXCEEDED: 'limit',
  RUN_ROUNDS_EXCEEDED: 'limit',
  STATE_NODE_UNPROVEN: 'server',
  STATE_READS_EXCEEDED: 'limit',
  STATE_ROUNDS_EXCEEDED: 'limit',
  BLOCK_CORRUPT: 'server',
  EXECUTION_TIMEOUT: 'server',
  EXECUTION_MEMORY_EXCEEDED: 'server',
  EXECUTION_ABORTED: 'server',
  EXECUTION_ROUNDS_EXCEEDED: 'server',
  EXECUTION_QUEUE_FULL: 'limit',
  EXECUTION_QUEUE_TIMEOUT: 'limit',
  EXECUTION_NOT_STARTED: 'unavailable',
  EXECUTION_CLOSED: 'unavailable',
  WITNESS_TOO_LARGE: 'limit',
  STORE_CLOSED: 'unavailable',
} as const satisfies Record<KnownCode, RpcErrorName>;

/**
 * Texts for errors whose messages name upstreams or repeat their texts. Host names and texts of providers can contain keys, so clients
 * get the kind of failure, and the log of the operator the rest.
 */
const upstreamTexts: ReadonlyMap<string, string> = new Map(
  Object.entries({
    UPSTREAMS_UNAVAILABLE: 'No upstream of the network answered. Retry in a few seconds.',
    UPSTREAMS_DISAGREE: 'The upstreams of the network do not agree. Retry in a few seconds.',
    UPSTREAM_REFUSED: 'The upstreams of the network refused a read that this request needs. Try another block.',
  } satisfies Partial<Record<UpstreamErrorCode, string>>),
);

/** Reports whether an error has details that only the operator may see, although clients see its kind. */
export function isForOperator(error: unknown): boolean {
  return isCairnError(error) && (upstreamTexts.has(error.code) || engineFailureOf(error) !== undefined);
}

/** A map, since codes named like members of every object must not match. */
const names: ReadonlyMap<string, RpcErrorName> = new Map(Object.entries(rpcErrorNames));

/** Converts an error to what a client may see; `undefined` for errors that only the operator may see. */
export function rpcErrorFrom(error: unknown): RpcError | undefined {
  if (!isCairnError(error)) return undefined;
  const engine = engineFailureOf(error);
  if (engine !== undefined && engine.kind !== 'fault')
    return new RpcError('unavailable', `${engine.message} ${engine.hint}`, {
      retryAfterSeconds: engine.retryAfterSeconds,
    });
  const name = names.get(error.code);
  const text = upstreamTexts.get(error.code) ?? errorText(error);
  return name && new RpcError(name, text, name === 'limit' ? error.details : undefined);
}
