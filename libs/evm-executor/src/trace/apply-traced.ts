import { isCairnError } from '@cairn/errors';
import { CallRejectedError, ExecutionError } from '../errors.ts';

/**
 * Runs a message that is traced; what ends it before there is a trace is said in geth's words for traces.
 * @throws CALL_* where no node would start it, EXECUTION_TIMEOUT
 */
export async function applyTraced<T>(apply: () => Promise<T>): Promise<T> {
  try {
    return await apply();
  } catch (error) {
    if (error instanceof CallRejectedError)
      throw new CallRejectedError(error.code, `tracing failed: ${error.message}`, error.hint ?? '', error.details);
    throw error;
  }
}

/** Runs all that a trace takes. @throws EXECUTION_TIMEOUT in geth's words for traces */
export async function withTraceTimeout<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isCairnError(error, 'EXECUTION_TIMEOUT')) throw error;
    const { timeoutMs } = error.details;
    throw new ExecutionError('EXECUTION_TIMEOUT', 'execution timeout', {
      hint: `The trace ran longer than ${timeoutMs} ms: give it less gas, or more time where it has a timeout.`,
      details: { timeoutMs },
    });
  }
}
