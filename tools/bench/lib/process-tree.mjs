import { readdirSync, readFileSync } from 'node:fs';

/** Returns a process and all processes below it: a service may run as several. Linux only. */
function processTree(pid) {
  const children = readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
    readFileSync(`/proc/${pid}/task/${thread}/children`, 'utf8').split(' ').filter(Boolean).map(Number),
  );
  return [pid, ...children.flatMap(processTree)];
}

/** CPU seconds of a process and all processes below it. */
export function cpuSecondsOf(pid) {
  return sum(pid, (one) => {
    const fields = readFileSync(`/proc/${one}/stat`, 'utf8').split(') ')[1].split(' ');
    return (Number(fields[11]) + Number(fields[12])) / 100;
  });
}

/**
 * Memory in MiB of a process and all processes below it. `total` counts a page that several processes map once. Mapped pages of
 * files can be dropped at any time; `anonymous` is the memory beside them.
 */
export function memoryOf(pid) {
  const mebibytes = (one, name) =>
    Number(
      new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync(`/proc/${one}/smaps_rollup`, 'utf8'))?.[1] ?? 0,
    ) / 1024;
  return { total: sum(pid, (one) => mebibytes(one, 'Pss')), anonymous: sum(pid, (one) => mebibytes(one, 'Pss_Anon')) };
}

function sum(pid, measure) {
  return processTree(pid).reduce((total, one) => total + measure(one), 0);
}
