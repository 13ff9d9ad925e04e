import { CairnError } from '@cairn/errors';
import { ExecutionTimeoutError } from '@cairn/evm';

export { ContractNotAllowedError, EngineUnavailableError } from '@cairn/evm';

/** Codes of calls that are refused before code runs. */
export type CallRejectionCode =
  | 'CALL_FEES_MIXED'
  | 'CALL_FEE_INVALID'
  | 'CALL_FEE_BELOW_BASE'
  | 'CALL_NONCE_TOO_LOW'
  | 'CALL_NONCE_TOO_HIGH'
  | 'CALL_NONCE_SPENT'
  | 'CALL_FUNDS_INSUFFICIENT'
  | 'CALL_GAS_TOO_LOW'
  | 'CALL_GAS_BELOW_FLOOR'
  | 'CALL_GAS_TOO_HIGH'
  | 'CALL_BLOCK_GAS_EXCEEDED'
  | 'CALL_SENDER_HAS_CODE'
  | 'CALL_INITCODE_TOO_LARGE'
  | 'CALL_BLOBS_INVALID'
  | 'CALL_AUTHORIZATIONS_INVALID'
  | 'CALL_CHAIN_ID_MISMATCH';

/**
 * A call that a node refuses. The message is geth's, without the prefix `err:` and the suffix that its API adds.
 * Amounts in `details` are decimal text, so that they survive JSON.
 */
export class CallRejectedError extends CairnError<CallRejectionCode> {
  constructor(code: CallRejectionCode, message: string, hint: string, details: Readonly<Record<string, unknown>> = {}) {
    super(code, message, { hint, details });
  }
}

/** A state or block override that cannot be applied. */
export class InvalidOverrideError extends CairnError<'OVERRIDE_INVALID'> {
  constructor(field: string, message: string) {
    super('OVERRIDE_INVALID', message, { hint: `Change or leave out ${field}.`, details: { field } });
  }
}

/** The package of the reference engine cannot be loaded. */
export class ReferenceEngineMissingError extends CairnError<'ENGINE_UNAVAILABLE'> {
  constructor(gas: bigint, cause: unknown) {
    const isBeyondOthers = gas > BigInt(Number.MAX_SAFE_INTEGER);
    super(
      'ENGINE_UNAVAILABLE',
      isBeyondOthers
        ? `The message has ${gas} gas. Above ${Number.MAX_SAFE_INTEGER} it needs the package @cairn/evm-ethereumjs, which cannot be loaded.`
        : 'The engine ethereumjs needs the package @cairn/evm-ethereumjs, which cannot be loaded.',
      {
        hint: isBeyondOthers
          ? 'Set less gas for the call, lower gasCapMultiplier, or install @cairn/evm-ethereumjs.'
          : 'Install @cairn/evm-ethereumjs, or use the engine "interpreter". It has the same results.',
        details: { engine: 'ethereumjs', package: '@cairn/evm-ethereumjs', gas: String(gas) },
        cause,
      },
    );
  }
}

/** Codes of simulations that are refused as a whole. */
export type SimulationErrorCode =
  | 'SIMULATION_EMPTY'
  | 'SIMULATION_TOO_LONG'
  | 'SIMULATION_NUMBER_INVALID'
  | 'SIMULATION_TIME_INVALID'
  | 'SIMULATION_GAS_EXCEEDED'
  | 'SIMULATION_SYSTEM_CALL_FAILED';

/** A simulation that cannot be run. The messages are geth's. */
export class SimulationError extends CairnError<SimulationErrorCode> {
  constructor(code: SimulationErrorCode, message: string, hint: string) {
    super(code, message, { hint });
  }
}

/** Thrown when a block breaks a rule during its execution. */
export class BlockInvalidError extends CairnError<'BLOCK_INVALID'> {
  constructor(reason: string) {
    super('BLOCK_INVALID', reason, { hint: 'Nodes reject this block: fetch it from another source.' });
  }
}

/** A transaction that makes its block invalid. */
export class TransactionInvalidError extends CairnError<'TRANSACTION_INVALID'> {
  constructor(hash: string, reason: string, cause?: unknown) {
    super('TRANSACTION_INVALID', `transaction ${hash}: ${reason}`, {
      hint: 'Nodes reject a block with this transaction: fetch it from another source.',
      details: { hash },
      cause,
    });
  }
}

/** A block that cannot be executed here, since it has transactions of a type whose rules this version does not have. */
export class TransactionUnsupportedError extends CairnError<'TRANSACTION_UNSUPPORTED'> {
  constructor(hash: string, type: number) {
    super(
      'TRANSACTION_UNSUPPORTED',
      `Transaction ${hash} has the type 0x${type.toString(16)}, which is not executed.`,
      {
        hint: 'Request traces of this block from a node of its chain. Calls and gas estimates are not affected.',
        details: { hash, type },
      },
    );
  }
}

/** Trace options that contradict each other or are malformed. The messages are geth's. */
export class TraceRefusedError extends CairnError<'TRACE_REFUSED'> {
  constructor(message: string, hint: string) {
    super('TRACE_REFUSED', message, { hint });
  }
}

/** Thrown for a trace that exceeds its limit. */
export class TraceTooLargeError extends CairnError<'TRACE_TOO_LARGE'> {
  constructor(limit: number, unit: 'characters' | 'calls') {
    super('TRACE_TOO_LARGE', `The trace is longer than its limit of ${limit} ${unit}.`, {
      hint: 'Leave out memory, stack and storage, use callTracer, or set `limit` for the steps.',
      details: { limit },
    });
  }
}

/** The state of a block is not stored, or the block is unknown. */
export class StateUnavailableError extends CairnError<'STATE_UNAVAILABLE'> {
  constructor(chain: string, blockHash: string) {
    super('STATE_UNAVAILABLE', `The state of block ${blockHash} of ${chain} is not available.`, {
      hint: 'Use a block whose state is stored, such as "latest".',
      details: { chain, blockHash },
    });
  }
}

/** Codes of jobs that the pool could not complete. */
export type ExecutionErrorCode =
  | 'EXECUTION_TIMEOUT'
  | 'EXECUTION_MEMORY_EXCEEDED'
  | 'EXECUTION_QUEUE_FULL'
  | 'EXECUTION_QUEUE_TIMEOUT'
  | 'EXECUTION_ABORTED'
  | 'EXECUTION_ROUNDS_EXCEEDED'
  | 'EXECUTION_FAILED'
  | 'EXECUTION_NOT_STARTED'
  | 'EXECUTION_CLOSED'
  | 'WITNESS_TOO_LARGE';

/** A job that the pool could not complete. */
export class ExecutionError extends CairnError<ExecutionErrorCode> {}

export const executionErrors = {
  timeout: (timeoutMs: number) => new ExecutionTimeoutError(timeoutMs),
  memoryExceeded: (memoryMibMax: number) =>
    new ExecutionError(
      'EXECUTION_MEMORY_EXCEEDED',
      `The call exceeded ${memoryMibMax} MiB of memory and was stopped.`,
      {
        hint: 'Give it less gas, or split it into smaller calls.',
        details: { memoryMibMax },
      },
    ),
  queueFull: (queueMax: number, retryAfterMs: number) =>
    new ExecutionError('EXECUTION_QUEUE_FULL', `The queue is full: ${queueMax} calls are waiting.`, {
      hint: `Try again in ${retryAfterMs} ms.`,
      details: { queueMax, retryAfterMs },
    }),
  queueTimeout: (queueTimeoutMs: number, retryAfterMs: number) =>
    new ExecutionError('EXECUTION_QUEUE_TIMEOUT', `The call waited ${queueTimeoutMs} ms, and no worker became free.`, {
      hint: `Try again in ${retryAfterMs} ms.`,
      details: { queueTimeoutMs, retryAfterMs },
    }),
  aborted: (cause: unknown) =>
    new ExecutionError('EXECUTION_ABORTED', 'The caller aborted the call.', {
      cause,
    }),
  roundsExceeded: (roundsMax: number) =>
    new ExecutionError(
      'EXECUTION_ROUNDS_EXCEEDED',
      `The call needs more than ${roundsMax} rounds of upstream requests.`,
      {
        hint: 'Split it into smaller calls, or use a network with local state.',
        details: { roundsMax },
      },
    ),
  failed: (reason: string, cause?: unknown) =>
    new ExecutionError('EXECUTION_FAILED', `The call could not be executed: ${reason}.`, {
      hint: 'Report this error with the call and the block. Other calls are not affected.',
      ...(cause !== undefined && { cause }),
    }),
  notStarted: () =>
    new ExecutionError('EXECUTION_NOT_STARTED', 'The workers that execute calls have not started.', {
      hint: 'Try again in a few seconds.',
    }),
  witnessTooLarge: (bytes: number, bytesMax: number) =>
    new ExecutionError('WITNESS_TOO_LARGE', `The witness has ${bytes} bytes. The limit is ${bytesMax}.`, {
      hint: 'Split the request, so that each part reads less.',
      details: { bytes, bytesMax },
    }),
  closed: () =>
    new ExecutionError('EXECUTION_CLOSED', 'The service is shutting down and accepts no calls.', {
      hint: 'Try again in a few seconds.',
    }),
} as const;
