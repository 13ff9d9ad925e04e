/** One listener per signal, however many calls share it: Node warns of a leak from the eleventh listener on. */
export class SignalFollowers {
  readonly #bySignal = new WeakMap<AbortSignal, Set<() => void>>();

  /** Calls `onAbort` when the signal aborts. Returns a function that ends this. */
  add(signal: AbortSignal, onAbort: () => void): () => void {
    const followers = this.#bySignal.get(signal) ?? this.#listen(signal);
    followers.add(onAbort);
    return () => followers.delete(onAbort);
  }

  #listen(signal: AbortSignal): Set<() => void> {
    const followers = new Set<() => void>();
    this.#bySignal.set(signal, followers);
    signal.addEventListener(
      'abort',
      () => {
        for (const onAbort of followers) onAbort();
      },
      { once: true },
    );
    return followers;
  }
}
