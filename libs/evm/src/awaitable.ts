/** A value, or a promise of it. A message is executed without a promise unless it waits for a precompile. */
export type Awaitable<T> = T | Promise<T>;

/** Passes a value on: immediately if it is present, else when its promise resolves. */
export function whenDone<T, R>(value: Awaitable<T>, next: (value: T) => Awaitable<R>): Awaitable<R> {
  return value instanceof Promise ? value.then(next) : next(value);
}

/** Runs `after` when a run has ended: immediately if the run is synchronous. */
export function finishing<T>(run: () => Awaitable<T>, after: () => void): Awaitable<T> {
  let isWaiting = false;
  try {
    const result = run();
    if (!(result instanceof Promise)) return result;
    isWaiting = true;
    return result.finally(after);
  } finally {
    if (!isWaiting) after();
  }
}
