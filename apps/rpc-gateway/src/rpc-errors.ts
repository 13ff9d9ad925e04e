import { errorText, isCairnError } from '@cairn/errors';
import { RpcError, type RpcErrorName } from '@cairn/jsonrpc-core';

/** Every error of the libs that a caller may see, and the entry of the catalogue it becomes. */
const names: Readonly<Record<string, RpcErrorName>> = {
  VALUE_INVALID: 'params',
  OVERRIDE_INVALID: 'server',
  CALL_FEE_INVALID: 'server',
  CALL_FUNDS_INSUFFICIENT: 'server',
  CALL_GAS_TOO_LOW: 'server',
  CALL_INITCODE_TOO_LARGE: 'server',
  CALL_BLOBS_INVALID: 'server',
  CALL_AUTHORIZATIONS_INVALID: 'server',
  CALL_CHAIN_ID_MISMATCH: 'server',
  STATE_UNAVAILABLE: 'server',
  BLOCK_CORRUPT: 'server',
  EXECUTION_TIMEOUT: 'server',
  EXECUTION_MEMORY_EXCEEDED: 'server',
  EXECUTION_ABORTED: 'server',
  EXECUTION_QUEUE_FULL: 'limit',
  EXECUTION_QUEUE_TIMEOUT: 'limit',
  EXECUTION_CLOSED: 'unavailable',
  STORE_CLOSED: 'unavailable',
};

/** What a caller may know of an error; `undefined` for one that is the operator's alone. */
export function rpcErrorFrom(error: unknown): RpcError | undefined {
  if (!isCairnError(error)) return undefined;
  const name = names[error.code];
  return name && new RpcError(name, errorText(error), name === 'limit' ? error.details : undefined);
}
