/** Events that stay readable. */
const eventsMax = 4_096;
/** A reader that polls counts as present for this time after a poll: filters expire after it. */
const polledMs = 5 * 60_000;

/** The newest events of a source, for readers that keep their position. A reader that is too slow misses the oldest. */
export class RecentEvents<T> {
  readonly #events: T[] = [];
  /** Times of the events, in milliseconds since 1970. */
  readonly #times: number[] = [];
  readonly #listeners = new Set<() => void>();
  readonly #onUse: () => void;
  readonly #now: () => number;
  /** Number of events so far. */
  #position = 0;
  #polledUntil = Number.NEGATIVE_INFINITY;

  /** @param onUse called when {@link isUsed} may have become true or false */
  constructor(onUse: () => void = () => {}, now: () => number = () => performance.now()) {
    this.#onUse = onUse;
    this.#now = now;
  }

  /** Position after the newest event. */
  get position(): number {
    return this.#position;
  }

  /** Whether a reader listens or has polled recently. */
  get isUsed(): boolean {
    return this.#listeners.size > 0 || this.#now() < this.#polledUntil;
  }

  add(event: T): void {
    this.#events[this.#position % eventsMax] = event;
    this.#times[this.#position % eventsMax] = Date.now();
    this.#position++;
    for (const listener of this.#listeners) listener();
  }

  /** Events after a position, oldest first. */
  since(position: number): readonly T[] {
    const first = Math.max(position, this.#position - eventsMax);
    const count = Math.max(0, this.#position - first);
    return Array.from({ length: count }, (_, index) => this.#events[(first + index) % eventsMax] as T);
  }

  /** Position after the events before a time, in milliseconds since 1970. */
  positionAt(time: number): number {
    let position = this.#position;
    const oldest = Math.max(0, position - eventsMax);
    while (position > oldest && (this.#times[(position - 1) % eventsMax] ?? 0) >= time) position--;
    return position;
  }

  /** Records a poll. @returns the position, for the first poll of a reader */
  poll(): number {
    this.#polledUntil = this.#now() + polledMs;
    this.#onUse();
    return this.#position;
  }

  /** Counts a reader at another process as present for the time after a poll. */
  extend(): void {
    this.#polledUntil = this.#now() + polledMs;
  }

  /** Calls the listener after each event, until the returned function is called. */
  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    this.#onUse();
    return () => {
      this.#listeners.delete(listener);
      this.#onUse();
    };
  }
}
