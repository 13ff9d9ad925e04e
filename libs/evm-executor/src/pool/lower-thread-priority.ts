import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** Nice value. Against a thread of normal priority, the scheduler grants about a tenth of a contended core. */
const niceness = 10;

/**
 * Lowers the priority of this thread, so that light requests in other threads run first. Linux has a priority per thread (sched(7));
 * other systems have one per process, which is not changed.
 */
export function lowerThreadPriority(): void {
  try {
    // `<pid>/task/<tid>`
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (Number.isSafeInteger(thread)) setPriority(thread, niceness);
  } catch {
    // Without /proc or the permission, the thread keeps its priority and works as usual.
  }
}
