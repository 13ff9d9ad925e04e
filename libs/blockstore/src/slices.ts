import { nextTurn } from '@cairn/platform';

/** Milliseconds of one slice. An answer takes some ten turns, and each may wait for a slice of other work. */
const sliceMs = 2;
/** Work that has taken more turns is long: shorter work goes before it. An add of a small file takes a turn after each wait for the disk. */
const shortTurns = 16;
/** One turn in so many goes to long work, also while short work waits. */
const longEvery = 4;

/**
 * Turns of the event loop for sliced work. One slice runs in each iteration of the loop, however many requests wait: the
 * delay of everything else is one slice, not the sum of all.
 */
class Turns {
  readonly #short: (() => void)[] = [];
  readonly #long: (() => void)[] = [];
  #isScheduled = false;
  #count = 0;

  wait(isShort: boolean): Promise<void> {
    return new Promise((resolve) => {
      (isShort ? this.#short : this.#long).push(resolve);
      this.#schedule();
    });
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    // A turn that is asked for within a turn is the next one.
    void nextTurn().then(() => {
      this.#isScheduled = false;
      const [first, second] = this.#count++ % longEvery === 0 ? [this.#long, this.#short] : [this.#short, this.#long];
      const resume = first.shift() ?? second.shift();
      if (this.#short.length + this.#long.length > 0) this.#schedule();
      resume?.();
    });
  }
}

const turns = new Turns();
const slicesBySignal = new WeakMap<AbortSignal, Slices>();

/** Cuts CPU work on untrusted input into slices, so that other requests run between them. */
export class Slices {
  #began = performance.now();
  #taken = 0;

  /** The slices of all work that a signal ends. Work without a signal shares its slices too: much of it is many short pieces. */
  static of(signal: AbortSignal | undefined): Slices {
    if (signal === undefined) return withoutSignal;
    let slices = slicesBySignal.get(signal);
    if (slices === undefined) {
      slices = new Slices();
      slicesBySignal.set(signal, slices);
    }
    return slices;
  }

  /** True when the work has run for as long as a slice may. A hot path asks this and awaits {@link next} only then. */
  get isOver(): boolean {
    return performance.now() - this.#began >= sliceMs;
  }

  /** Gives way to other work, then begins the next slice. */
  async next(): Promise<void> {
    await turns.wait(this === withoutSignal || this.#taken++ < shortTurns);
    this.#began = performance.now();
  }

  /** Call it often: it returns immediately until a slice is over. */
  async step(): Promise<void> {
    if (this.isOver) await this.next();
  }
}

const withoutSignal = new Slices();

/** Runs work that pauses now and then, and gives way to other work in its pauses. */
export async function runInSlices<T>(
  work: Iterator<unknown, T>,
  slices: Pick<Slices, 'step'> = new Slices(),
): Promise<T> {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
    await slices.step();
  }
}

/** Runs work that pauses now and then in one go: for short input only. */
export function runSync<T>(work: Iterator<unknown, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
