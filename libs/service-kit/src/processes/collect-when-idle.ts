// Memory of idle services, measured by the memory rows of tools/bench/peers.mjs.
import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { trimMemory } from './trim-memory.ts';

const checkEveryMs = 2_000;
/** Shares of the time between two checks that an idle process works at most. Its timers take 0.4 to 2 %. */
const idleShareMax = { collect: 0.02, trim: 0.05 };
/** Checks from one trim or collection to the next at least: ten seconds. */
const trimPauseChecks = 5;
/**
 * Checks until a heap that has grown by little is collected again: a minute. A collection takes 0.1 s, or 0.5 s on a busy machine.
 * Fewer than one in a hundred requests of an account with little traffic can thus wait for one.
 */
const pauseChecks = 30;
/** Growth of the heap since the last collection from which another one pays. */
const growthMin = 1.2;
/** Growth in bytes from which it pays after ten seconds. Requests that make so many objects take longer than the collection. */
const largeGrowthBytes = 16 * 1024 * 1024;

/** Measurements of a process and its memory. */
export interface CollectedProcess {
  /** Share of the time since the last call that the event loop was active, 0 to 1. */
  activeShare(): number;
  /** Memory of objects. Buffers are not counted, since V8 frees collected ones later. */
  heapBytes(): number;
  /** Collects garbage and gives free memory back to the system. */
  collect(): void;
  /** Gives free memory back to the system. */
  trim(): void;
}

/**
 * Collects garbage when a process becomes idle after its start or after work. V8 collects only when a program allocates, so an
 * idle process would keep the garbage of its last load: 25 MiB of a gateway. Where collecting does not pay, it only trims.
 */
export class IdleCollector {
  readonly #process: CollectedProcess;
  /** Used heap after the last collection. The first idle check collects the garbage of the start. */
  #keptBytes = 0;
  #sinceCollection = pauseChecks;
  #sinceTrim = trimPauseChecks;
  /** True if the process has worked since the last trim. */
  #hasWorked = true;

  constructor(process: CollectedProcess) {
    this.#process = process;
  }

  check(): void {
    this.#sinceCollection++;
    this.#sinceTrim++;
    // Read each time: the share is that since the last call.
    const share = this.#process.activeShare();
    if (share > idleShareMax.trim) this.#hasWorked = true;
    if (share > idleShareMax.trim || this.#sinceTrim < trimPauseChecks) return;
    if (share <= idleShareMax.collect && this.#pays()) {
      this.#process.collect();
      // The time of the collection is no work.
      this.#process.activeShare();
      this.#sinceCollection = 0;
      this.#keptBytes = this.#process.heapBytes();
    } else if (this.#hasWorked) this.#process.trim();
    else return;
    this.#sinceTrim = 0;
    this.#hasWorked = false;
  }

  #pays(): boolean {
    const bytes = this.#process.heapBytes();
    if (bytes >= this.#keptBytes + largeGrowthBytes) return true;
    return this.#sinceCollection >= pauseChecks && bytes >= this.#keptBytes * growthMin;
  }
}

const releases: (() => void)[] = [];

/**
 * Registers a function that is called before the garbage of an idle process is collected. It releases memory that only a busy
 * process needs. Call this once per process: a registration does not end.
 */
export function beforeIdleCollection(release: () => void): void {
  releases.push(release);
}

/** Checks this process every two seconds. The timer does not keep it alive. */
export function collectWhenIdle(): void {
  const collector = new IdleCollector(thisProcess());
  setInterval(() => collector.check(), checkEveryMs).unref();
}

/** Returns the measurements of this process. */
export function thisProcess(): CollectedProcess {
  const collect = fullCollection();
  let last = performance.eventLoopUtilization();
  return {
    activeShare() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    heapBytes: () => getHeapStatistics().used_heap_size,
    collect() {
      for (const release of releases) release();
      collect();
      void trimMemory();
    },
    trim: () => void trimMemory(),
  };
}

/** Returns the function that collects all garbage and moves objects together. Contexts that are created later do not get it. */
function fullCollection(): () => void {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  setFlagsFromString('--no-expose-gc');
  return () => {
    // By default few pages are compacted, and a third of the heap would be free places between objects.
    setFlagsFromString('--compact-on-every-full-gc');
    collect();
    setFlagsFromString('--no-compact-on-every-full-gc');
  };
}
