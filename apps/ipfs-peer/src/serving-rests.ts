import { readFileSync } from 'node:fs';

/** Time of a thread in milliseconds: on a processor, and ready but waiting for one. */
export interface ProcessorTimes {
  readonly ran: number;
  readonly waited: number;
}

/** Time after the last report of stored content in which the services count as active, in milliseconds. */
const activeMs = 1000;

/** Time of a thread, running or waiting, over which a share is measured, in milliseconds. */
const measuredMs = 20;

/** Part of a new measurement in the average. */
const newShare = 0.3;

/** Share of waiting time from which the server rests. Without other work on the processor it is below 0.01. */
const waitShareMin = 0.03;

/** Rest in relation to the work before it, for each unit of the share of waiting, and at most: the server works a third of the time. */
const restPerShare = 10;
const restMax = 2;

/** Bounds of the time between the begins of two messages, in milliseconds. */
const gapMsMin = 1;
const gapMsMax = 60;

/**
 * Decides how long the peer rests between messages of blocks, so that requests of accounts run first. It rests while services
 * store content and its own thread waits for a processor. An idle machine is used in full.
 */
export class ServingRests {
  readonly #read: () => ProcessorTimes | undefined;
  readonly #now: () => number;
  #activeUntil = Number.NEGATIVE_INFINITY;
  #last: ProcessorTimes | undefined;
  /** Times since the last measurement of the share. */
  #ran = 0;
  #waited = 0;
  #waitShare = 0;

  constructor(
    read: () => ProcessorTimes | undefined = readProcessorTimes,
    now: () => number = () => performance.now(),
  ) {
    this.#read = read;
    this.#now = now;
  }

  /** Records that a service stores content. */
  reported(): void {
    this.#activeUntil = this.#now() + activeMs;
  }

  /**
   * Returns the milliseconds from the begin of a message to that of the next one, 0 for no limit. The work since the last call
   * counts as that of one message.
   */
  readonly next = (): number => {
    if (this.#now() >= this.#activeUntil) {
      this.#last = undefined;
      this.#waitShare = 0;
      return 0;
    }
    const times = this.#read();
    const before = this.#last;
    this.#last = times;
    if (times === undefined || before === undefined) return 0;
    const ran = times.ran - before.ran;
    this.#measure(ran, times.waited - before.waited);
    if (this.#waitShare < waitShareMin) return 0;
    return Math.min(gapMsMax, Math.max(gapMsMin, ran * (1 + Math.min(restMax, restPerShare * this.#waitShare))));
  };

  #measure(ran: number, waited: number): void {
    this.#ran += ran;
    this.#waited += waited;
    const sum = this.#ran + this.#waited;
    if (sum < measuredMs) return;
    this.#waitShare += newShare * (this.#waited / sum - this.#waitShare);
    this.#ran = this.#waited = 0;
  }
}

/** Times of the main thread. Undefined where the system does not report them, as outside of Linux. */
function readProcessorTimes(): ProcessorTimes | undefined {
  try {
    const [ran, waited] = readFileSync('/proc/self/schedstat', 'utf8').split(' ').map(Number);
    return { ran: (ran ?? 0) / 1e6, waited: (waited ?? 0) / 1e6 };
  } catch {
    return undefined;
  }
}
