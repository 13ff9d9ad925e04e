/** The token of {@link Waits}. */
export const WAITS = Symbol('WAITS');

/**
 * How long each request may wait for blocks that are not here, by its signal: not at all with `offline`, as long as its
 * `timeout` allows, or else as long as the service is set to.
 */
export class Waits {
  readonly #limits = new WeakMap<AbortSignal, number>();
  readonly #defaultMs: number;

  constructor(defaultMs: number) {
    this.#defaultMs = defaultMs;
  }

  set(
    signal: AbortSignal,
    { timeoutMs, isOffline }: { readonly timeoutMs: number | undefined; readonly isOffline: boolean },
  ): void {
    // Twice the time: the end of the request is what ends the wait, with its own words.
    this.#limits.set(signal, isOffline ? 0 : timeoutMs === undefined ? this.#defaultMs : 2 * timeoutMs);
  }

  of(signal: AbortSignal): number {
    return this.#limits.get(signal) ?? 0;
  }
}
