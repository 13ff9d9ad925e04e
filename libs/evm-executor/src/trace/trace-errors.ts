import { isCairnError } from '@cairn/errors';
import type { Awaitable } from '@cairn/evm';
import { ExecutionError } from '../errors.ts';
import { rewordRejection } from '../reword-rejection.ts';

/**
 * Executes a traced message and rewords its refusal as geth does for traces.
 * @throws CALL_* if a node would refuse the message, EXECUTION_TIMEOUT
 */
export function withTraceRejections<T>(apply: () => Awaitable<T>): Awaitable<T> {
  return withFailure(apply, (error) => {
    throw rewordRejection(error, (message) => `tracing failed: ${message}`);
  });
}

/** Runs work, and passes its error to a function that throws one. Returns without a promise where the work does. */
function withFailure<T>(run: () => Awaitable<T>, fail: (error: unknown) => never): Awaitable<T> {
  try {
    const result = run();
    return result instanceof Promise ? result.catch(fail) : result;
  } catch (error) {
    return fail(error);
  }
}

/** Runs a whole trace. @throws EXECUTION_TIMEOUT with geth's message for traces */
export function withTraceTimeout<T>(run: () => Awaitable<T>): Awaitable<T> {
  return withFailure(run, (error) => {
    if (!isCairnError(error, 'EXECUTION_TIMEOUT')) throw error;
    const { timeoutMs } = error.details;
    throw new ExecutionError('EXECUTION_TIMEOUT', 'execution timeout', {
      hint: `The trace ran longer than ${timeoutMs} ms. Give the call less gas, or raise the timeout in the options.`,
      details: { timeoutMs },
    });
  });
}
