import { nextTurn } from '@cairn/platform';

/** Duration of one slice in milliseconds. A response takes about ten turns, and each may wait for a slice of other work. */
const sliceMs = 2;
/** Work with more turns than this counts as long and runs after short work. Adding a small file takes a turn after each disk wait. */
const shortTurns = 16;
/** Long work gets one turn out of this many while short work waits. */
const longEvery = 4;

/**
 * Queue of sliced work that waits for a turn of the event loop. Each turn runs one slice, so that other events wait for one
 * slice at most, regardless of the number of requests.
 */
class TurnQueue {
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
    // A turn that is requested within a turn is the next one.
    void nextTurn().then(() => {
      this.#isScheduled = false;
      const [first, second] = this.#count++ % longEvery === 0 ? [this.#long, this.#short] : [this.#short, this.#long];
      const resume = first.shift() ?? second.shift();
      if (this.#short.length + this.#long.length > 0) this.#schedule();
      resume?.();
    });
  }
}

const turns = new TurnQueue();

/** Time of the first test in this turn of the event loop. */
let turnBegan: number | undefined;

function beginOfTurn(): number {
  if (turnBegan === undefined) {
    turnBegan = performance.now();
    void nextTurn().then(() => {
      turnBegan = undefined;
    });
  }
  return turnBegan;
}

const slicesBySignal = new WeakMap<AbortSignal, Slices>();

/** Cuts CPU work on untrusted input into slices, so that other requests run between them. */
export class Slices {
  #began = performance.now();
  #taken = 0;

  /** Returns the slices that all work of a signal shares. Work without a signal shares one instance, since most of it is short. */
  static of(signal: AbortSignal | undefined): Slices {
    if (signal === undefined) return withoutSignal;
    let slices = slicesBySignal.get(signal);
    if (slices === undefined) {
      slices = new Slices();
      slicesBySignal.set(signal, slices);
    }
    return slices;
  }

  /**
   * True when the slice has used up its time in this turn of the event loop. A wait for a timer, the disk or the network ends
   * the turn and is no work. Hot paths test it and await {@link next} only then.
   */
  get isOver(): boolean {
    return performance.now() - Math.max(this.#began, beginOfTurn()) >= sliceMs;
  }

  /** Yields to other work, then begins the next slice. */
  async next(): Promise<void> {
    await turns.wait(this === withoutSignal || this.#taken++ < shortTurns);
    this.#began = performance.now();
  }

  /** Yields if the slice is over; else returns immediately. Call it often. */
  async step(): Promise<void> {
    if (this.isOver) await this.next();
  }
}

const withoutSignal = new Slices();

/** Runs a generator to its end and may yield to other work at each of its pauses. */
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

/** Runs a generator to its end without yielding. For short input only. */
export function runSync<T>(work: Iterator<unknown, T>): T {
  for (;;) {
    const { done, value } = work.next();
    if (done === true) return value;
  }
}
