/**
 * Lines are made durable together, so that many small files cost few commits. They are written when no further line
 * arrives for a moment.
 */
export const durableLineLimits = {
  /** Waiting lines at most; more would use too much memory. */
  waitingMax: 512,
  /** Milliseconds without a further line after which waiting lines are made durable. */
  idleMs: 15,
  /** Longest time that a line waits for others, in milliseconds. */
  waitMs: 250,
} as const;

export interface DurableLinesOptions<Line> {
  /** Makes lines durable and writes them. Calls do not overlap. */
  readonly keep: (lines: readonly Line[]) => Promise<void>;
  /** Called with the error of a {@link keep} that no call of {@link DurableLines} awaits. */
  readonly onFailure: (error: unknown) => void;
}

/** Collects lines of a response that may only be written when their blocks are on the disk. */
export class DurableLines<Line> {
  readonly #options: DurableLinesOptions<Line>;
  #waiting: Line[] = [];
  #oldest = 0;
  #latest = 0;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> = Promise.resolve();

  constructor(options: DurableLinesOptions<Line>) {
    this.#options = options;
  }

  /** Accepts a line. Resolves when there is room for another. @throws the error of a `keep` */
  async add(line: Line): Promise<void> {
    this.#latest = performance.now();
    if (this.#waiting.push(line) === 1) this.#oldest = this.#latest;
    if (this.#waiting.length >= durableLineLimits.waitingMax) await this.#keep();
    else this.#timer ??= setTimeout(() => this.#onTime(), durableLineLimits.idleMs);
  }

  /** Accepts a line that other lines do not wait for. It replaces `before` if that line is still waiting. */
  pass(line: Line, before: Line | undefined): void {
    if (before !== undefined && this.#waiting.at(-1) === before) this.#waiting.pop();
    this.#waiting.push(line);
    if (this.#waiting.length > 1) return;
    this.#oldest = performance.now();
    this.#keep().catch(this.#options.onFailure);
  }

  /** Makes all lines durable. @throws the error of a `keep` */
  async end(): Promise<void> {
    await this.#keep();
  }

  /** Discards the waiting lines. */
  async discard(): Promise<void> {
    clearTimeout(this.#timer);
    this.#waiting = [];
    await this.#running.catch(() => {});
  }

  #onTime(): void {
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const { idleMs, waitMs } = durableLineLimits;
    const now = performance.now();
    const dueInMs = Math.min(this.#latest + idleMs, this.#oldest + waitMs) - now;
    if (dueInMs > 1) this.#timer = setTimeout(() => this.#onTime(), dueInMs);
    else this.#keep().catch(this.#options.onFailure);
  }

  #keep(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running = this.#running.then(async () => {
      const lines = this.#waiting;
      this.#waiting = [];
      if (lines.length > 0) await this.#options.keep(lines);
    });
    return this.#running;
  }
}
