/** Shares one listener per signal between all jobs with that signal. Node warns of a leak from the eleventh listener on. */
export class SharedAbortListeners {
  readonly #bySignal = new WeakMap<AbortSignal, Set<() => void>>();

  /** Calls `onAbort` when the signal aborts. Returns a function that removes the callback. */
  add(signal: AbortSignal, onAbort: () => void): () => void {
    const listeners = this.#bySignal.get(signal) ?? this.#listen(signal);
    listeners.add(onAbort);
    return () => listeners.delete(onAbort);
  }

  #listen(signal: AbortSignal): Set<() => void> {
    const listeners = new Set<() => void>();
    this.#bySignal.set(signal, listeners);
    signal.addEventListener(
      'abort',
      () => {
        for (const onAbort of listeners) onAbort();
      },
      { once: true },
    );
    return listeners;
  }
}
