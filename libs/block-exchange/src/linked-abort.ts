/** Controller that aborts with the first of several signals, and can be unlinked from them. */
export interface LinkedAbort {
  readonly signal: AbortSignal;
  abort(reason: unknown): void;
  /** Ends the link. Signals of a process live long, so a link that stays would leak. */
  unlink(): void;
}

/**
 * Callbacks of each signal, behind one listener. Thousands of fetches share the signal of a session, and the list of listeners
 * of a signal is searched for each removal.
 */
const callbacksBySignal = new WeakMap<AbortSignal, Set<() => void>>();

export function linkAbort(...signals: readonly (AbortSignal | undefined)[]): LinkedAbort {
  const controller = new AbortController();
  const links: (() => void)[] = [];
  for (const signal of signals)
    if (signal !== undefined) links.push(onAbort(signal, () => controller.abort(signal.reason)));
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    unlink: () => {
      for (const remove of links.splice(0)) remove();
    },
  };
}

/** Resolves with the promise, or rejects with the reason of the signal. The promise continues. */
export function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  return new Promise((resolve, reject) => {
    const remove = onAbort(signal, () => reject(signal.reason));
    promise.then(resolve, reject).finally(remove);
  });
}

/** Calls back when the signal aborts, or immediately if it has. Returns the removal of the callback. */
function onAbort(signal: AbortSignal, callback: () => void): () => void {
  if (signal.aborted) {
    callback();
    return () => {};
  }
  const callbacks = callbacksBySignal.get(signal) ?? listen(signal);
  callbacks.add(callback);
  return () => callbacks.delete(callback);
}

function listen(signal: AbortSignal): Set<() => void> {
  const callbacks = new Set<() => void>();
  callbacksBySignal.set(signal, callbacks);
  const callAll = () => {
    for (const callback of [...callbacks]) if (callbacks.delete(callback)) callback();
  };
  signal.addEventListener('abort', callAll, { once: true });
  return callbacks;
}
