import { readdirSync, readFileSync, writeFileSync } from 'node:fs';

/** Clock ticks of the times in /proc/PID/stat in a second; the kernel shows them in these units on every machine. */
const ticksPerSecond = 100;

/** @typedef {{ runMs: number, delayMs: number }} ThreadTime time on a processor, and time ready to run without one */

/**
 * Reads the times of a thread so far, to the nanosecond where the kernel counts it (schedstat), else to a tick.
 * @param {string} directory `/proc/PID/task/TID`, or `/proc/thread-self` for the calling thread
 * @returns {ThreadTime}
 */
export function threadTime(directory) {
  try {
    const [run, delay] = readFileSync(`${directory}/schedstat`, 'latin1').split(' ');
    return { runMs: Number(run) / 1e6, delayMs: Number(delay) / 1e6 };
  } catch {
    return { runMs: ticksMs(directory), delayMs: 0 };
  }
}

/** Milliseconds on processors of a whole process, including ended threads. */
export const processTime = (pid) => ticksMs(`/proc/${pid}`);

function ticksMs(directory) {
  const stat = readFileSync(`${directory}/stat`, 'latin1');
  // Fields 14 and 15 of the line, counted after the name of the program, which may contain blanks.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) * 1000) / ticksPerSecond;
}

/** Resident and peak memory of a process, in MiB. */
export function processMemory(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'latin1');
  const mib = (name) => Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1] ?? 0) / 1024;
  return { residentMib: mib('VmRSS'), peakMib: mib('VmHWM') };
}

/** Resets the peak memory of a process; returns false where the system does not allow it. */
export function resetPeak(pid) {
  try {
    writeFileSync(`/proc/${pid}/clear_refs`, '5');
    return true;
  } catch {
    return false;
  }
}

/** Reports whether this machine has the files of the measurement. */
export const canMeasure = (() => {
  try {
    return readdirSync('/proc/self/task').length > 0;
  } catch {
    return false;
  }
})();
