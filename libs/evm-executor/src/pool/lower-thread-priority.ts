import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/**
 * Nice value of worker threads. Measured on two cores beside two endless programs, with eight connections that send endless calls:
 *
 * | nice value                                    | 10  | 5   | 0   |
 * | --------------------------------------------- | --- | --- | --- |
 * | endless calls that end in 2.5 s               | 9   | 14  | 18  |
 * | p99 of eth_chainId, relative to without calls | 0.9 | 1.1 | 1.5 |
 */
const niceness = 5;

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
