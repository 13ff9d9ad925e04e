// Memory of idle services, measured by the memory rows of tools/bench/peers.mjs.
import { performance } from 'node:perf_hooks';
import { getHeapStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

const checkEveryMs = 5_000;
/** Share of the time between two checks that an idle process works at most. Its timers take 0.4 %. */
const idleShareMax = 0.01;
/** Growth of the used heap since the last collection from which another one pays. */
const growthMin = 1.2;
/**
 * Checks from one collection to the next at least: a minute. A collection takes 0.1 s, or 0.5 s on a busy machine, so that fewer than
 * one in a hundred requests of an account with little traffic can wait for one.
 */
const pauseChecks = 12;

/** Measurements of a process and its garbage collector. */
export interface CollectedProcess {
  /** Share of the time since the last call that the event loop was active, 0 to 1. */
  activeShare(): number;
  heapBytes(): number;
  collect(): void;
}

/**
 * Collects garbage once when a process becomes idle after its start or after work. V8 collects only when a program allocates, so an
 * idle process would keep the garbage of its last load: 25 MiB of a gateway.
 */
export class IdleCollector {
  readonly #process: CollectedProcess;
  /** Used heap after the last collection. The first idle check collects the garbage of the start. */
  #keptBytes = 0;
  #pause = 0;

  constructor(process: CollectedProcess) {
    this.#process = process;
  }

  check(): void {
    // Read each time: the share is that since the last call.
    const share = this.#process.activeShare();
    this.#pause = Math.max(0, this.#pause - 1);
    if (share > idleShareMax || this.#pause > 0) return;
    if (this.#process.heapBytes() < this.#keptBytes * growthMin) return;
    this.#process.collect();
    this.#pause = pauseChecks;
    this.#keptBytes = this.#process.heapBytes();
  }
}

/** Checks this process every five seconds. The timer does not keep it alive. */
export function collectWhenIdle(): void {
  let last = performance.eventLoopUtilization();
  const collector = new IdleCollector({
    activeShare() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, last);
      last = now;
      return utilization;
    },
    heapBytes: () => getHeapStatistics().used_heap_size,
    collect: fullCollection(),
  });
  setInterval(() => collector.check(), checkEveryMs).unref();
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
