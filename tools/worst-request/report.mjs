/** The line that repeats a request. */
export function replayLine({ service, name, genes }) {
  return `node tools/worst-request/run.mjs --only ${service} --replay '${JSON.stringify({ name, genes }).replaceAll("'", "'\\''")}'`;
}

const columns = [
  ['cost', ({ cost }) => cost],
  ['block ms', ({ blockMs }) => blockMs],
  ['stall ms', ({ stallMs }) => stallMs],
  ['main ms', ({ mainMs }) => mainMs],
  ['CPU ms', ({ cpuMs }) => cpuMs],
  ['MiB', ({ memoryMib }) => memoryMib],
  ['after ms', ({ afterMs }) => afterMs],
  ['credits', ({ credits }) => credits],
  ['status', ({ status }) => status],
];

/** Formats a table of requests, and below it the line that repeats each. */
export function reportOf(entries) {
  const width = 9;
  const head = columns.map(([title]) => title.padStart(width)).join('');
  const lines = entries.flatMap((entry) => [
    `${columns.map(([, read]) => String(Math.round(read(entry))).padStart(width)).join('')}  ${entry.name}${entry.isAborted ? ', ended by its client' : ''}`,
    `    ${replayLine(entry)}`,
  ]);
  return [head, ...lines].join('\n');
}
