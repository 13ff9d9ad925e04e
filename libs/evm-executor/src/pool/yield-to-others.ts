import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';

/** A tenth of the time of others where both want all of it. */
const niceness = 10;

/**
 * Lets the scheduler of the system prefer other threads over this one: executions take whatever time light requests
 * leave. Linux schedules threads one by one (sched(7)); elsewhere the priority is the whole process's and stays.
 */
export function yieldToOthers(): void {
  try {
    // `<pid>/task/<tid>`
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (Number.isSafeInteger(thread)) setPriority(thread, niceness);
  } catch {
    // No such file system, or no right to: the work is the same.
  }
}
