/**
 * Returns a signal that aborts after a time, with a `TimeoutError`. Its timer does not keep a process alive. Unlike
 * `AbortSignal.timeout`, the timer holds the signal: Node 20 collects a signal of `AbortSignal.timeout` as garbage when only
 * `AbortSignal.any` refers to it, and the combined signal then never aborts.
 * @param milliseconds 0 to 2,147,483,647
 */
export function timeLimit(milliseconds: number): AbortSignal {
  const controller = new AbortController();
  const timer: unknown = setTimeout(
    () => controller.abort(new DOMException('The operation was aborted due to timeout', 'TimeoutError')),
    milliseconds,
  );
  // A timer is a number in browsers, where nothing waits for it.
  if (timer instanceof Object && 'unref' in timer && typeof timer.unref === 'function') timer.unref();
  return controller.signal;
}
