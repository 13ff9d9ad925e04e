import { setTimeout } from 'node:timers/promises';

/** Milliseconds before each further attempt. Together they exceed the circuit breaker of an upstream. */
const defaultDelaysMs: readonly number[] = [250, 500, 1_000, 2_000, 4_000, 8_000];

export interface RetryOptions {
  readonly signal: AbortSignal;
  readonly delaysMs?: readonly number[] | undefined;
}

/** Repeats a failed read after growing delays. @throws the error of the last attempt, the reason of the signal */
export async function retrying<T>(
  read: () => Promise<T>,
  { signal, delaysMs = defaultDelaysMs }: RetryOptions,
): Promise<T> {
  for (let attempt = 0; ; attempt++) {
    signal.throwIfAborted();
    try {
      return await read();
    } catch (error) {
      const delay = delaysMs[attempt];
      if (delay === undefined) throw error;
      await setTimeout(delay, undefined, { signal, ref: false });
    }
  }
}
