import type { Clock } from '../clock.ts';

/** Clock that only {@link advance} moves. */
export class FakeClock implements Clock {
  #now: number;
  readonly #timers = new Map<number, { readonly at: number; readonly callback: () => void }>();
  #last = 0;

  constructor(now = 1_700_000_000_000) {
    this.#now = now;
  }

  now(): number {
    return this.#now;
  }

  after(ms: number, callback: () => void): () => void {
    const id = ++this.#last;
    this.#timers.set(id, { at: this.#now + Math.max(0, ms), callback });
    return () => this.#timers.delete(id);
  }

  /** Moves the time, timer by timer. `settle` waits for the work that a timer has started. */
  async advance(ms: number, settle: () => Promise<void>): Promise<void> {
    const end = this.#now + ms;
    await settle();
    for (;;) {
      const [next] = [...this.#timers].sort(([, a], [, b]) => a.at - b.at);
      if (next === undefined || next[1].at > end) break;
      const [id, { at, callback }] = next;
      this.#timers.delete(id);
      this.#now = Math.max(this.#now, at);
      callback();
      await settle();
    }
    this.#now = end;
  }
}
