/** Lines are kept together so that many small files cost few commits, and written when no further one comes for a moment. */
export const durableLineLimits = {
  /** Lines that wait at most; more would be memory. */
  waitingMax: 512,
  /** Time without a further line after which waiting ones are kept, in milliseconds. */
  idleMs: 15,
  /** Longest time that a line waits for others, in milliseconds. */
  waitMs: 250,
} as const;

export interface DurableLinesOptions<Line> {
  /** Makes lines durable and writes them. Called with some lines after the other, never concurrently. */
  readonly keep: (lines: readonly Line[]) => Promise<void>;
  /** Called with the error of a {@link keep} that no call of {@link DurableLines} was waiting for. */
  readonly onFailure: (error: unknown) => void;
}

/** Gathers lines of an answer that may only be written when what they report is on the disk. */
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

  /** Takes a line; resolves when there is room for another. @throws the error of a `keep` */
  async add(line: Line): Promise<void> {
    this.#latest = performance.now();
    if (this.#waiting.push(line) === 1) this.#oldest = this.#latest;
    if (this.#waiting.length >= durableLineLimits.waitingMax) await this.#keep();
    else this.#timer ??= setTimeout(() => this.#onTime(), durableLineLimits.idleMs);
  }

  /** Takes a line that other lines do not wait for; it takes the place of `before` where that one waits still. */
  pass(line: Line, before: Line | undefined): void {
    if (before !== undefined && this.#waiting.at(-1) === before) this.#waiting.pop();
    this.#waiting.push(line);
    if (this.#waiting.length > 1) return;
    this.#oldest = performance.now();
    this.#keep().catch(this.#options.onFailure);
  }

  /** Keeps all lines. @throws the error of a `keep` */
  async end(): Promise<void> {
    await this.#keep();
  }

  /** Forgets the lines that wait. */
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
