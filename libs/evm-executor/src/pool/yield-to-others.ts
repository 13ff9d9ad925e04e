import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';

/**
 * Lets the scheduler of the system prefer other threads over this one: executions take whatever time light requests
 * leave. Linux schedules threads one by one (sched(7)); elsewhere the priority is the whole process's and stays.
 */
export function yieldToOthers(): void {
  try {
    // `<pid>/task/<tid>`
    const thread = Number(readlinkSync('/proc/thread-self').split('/').at(-1));
    if (Number.isSafeInteger(thread)) setPriority(thread, constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // No such file system, or no right to: the work is the same.
  }
}
