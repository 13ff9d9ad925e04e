import { isCairnError } from '@cairn/errors';
import { CallRejectedError, ExecutionError } from '../errors.ts';

/**
 * Executes a traced message and rewords its refusal as geth does for traces.
 * @throws CALL_* if a node would refuse the message, EXECUTION_TIMEOUT
 */
export async function withTraceRejections<T>(apply: () => Promise<T>): Promise<T> {
  try {
    return await apply();
  } catch (error) {
    if (error instanceof CallRejectedError)
      throw new CallRejectedError(error.code, `tracing failed: ${error.message}`, error.hint ?? '', error.details);
    throw error;
  }
}

/** Runs a whole trace. @throws EXECUTION_TIMEOUT with geth's message for traces */
export async function withTraceTimeout<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isCairnError(error, 'EXECUTION_TIMEOUT')) throw error;
    const { timeoutMs } = error.details;
    throw new ExecutionError('EXECUTION_TIMEOUT', 'execution timeout', {
      hint: `The trace ran longer than ${timeoutMs} ms. Give the call less gas, or raise the timeout in the options.`,
      details: { timeoutMs },
    });
  }
}
