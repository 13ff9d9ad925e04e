import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';

const marks = { start: '<!-- peers: generated -->', end: '<!-- peers: end -->' };
const significant = new Intl.NumberFormat('en', { maximumSignificantDigits: 3 });
const digits = (value) => significant.format(value);

/** Median and spread of the ratios of rounds. */
export function ratioOf(rounds) {
  const ratios = rounds.map(({ ours, theirs }) => ours / theirs).sort((a, b) => a - b);
  return { median: middle(ratios), least: ratios[0], most: ratios.at(-1) };
}

/** Middle value of numbers, the lower one of two. */
export function middle(values) {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) / 2)];
}

/** One line of text for a row. */
export function textOf({ name, peer, unit, ours, theirs, ratio, goal }) {
  const spread = `${ratio.least.toFixed(2)} to ${ratio.most.toFixed(2)}`;
  return `${`${name} / ${peer}`.padEnd(60)} ${digits(ours).padStart(8)} ${unit.padEnd(5)} ${digits(theirs).padStart(8)} ${unit.padEnd(5)} ${ratio.median.toFixed(2).padStart(6)} (${spread}; goal ${goal})`;
}

/** Returns the tables of rates and of memory as Markdown. */
function markdownOf({ machine, rows, memory }) {
  const rates = table(
    ['workload', 'peer', 'Cairn', 'peer', 'Cairn / peer', 'goal'],
    rows.map(({ name, peer, unit, ours, theirs, ratio, goal }) => [
      name,
      peer,
      `${digits(ours)} ${unit}`,
      `${digits(theirs)} ${unit}`,
      `${ratio.median >= goal ? '**' : ''}${ratio.median.toFixed(2)}${ratio.median >= goal ? '**' : ''} (${ratio.least.toFixed(2)}–${ratio.most.toFixed(2)})`,
      goal.toFixed(1),
    ]),
  );
  const sizes = table(
    ['memory of all processes after the load, without mapped pages', 'Cairn', 'peers', 'goal'],
    memory.map(({ name, mebibytes, peers, goal }) => [
      name,
      `${Math.round(mebibytes)} MiB`,
      peers.map((peer) => `${peer.name} ${Math.round(peer.mebibytes)} MiB`).join(', ') || '–',
      `${goal} MiB`,
    ]),
  );
  const where = `${machine.cores} cores, ${machine.memoryGiB} GiB, Node ${machine.node}, ${machine.date}; load average ${machine.load.before} before and ${machine.load.after} after; ${machine.rounds} alternating rounds.`;
  return `${where} Bold ratios reach their goal.\n\n${rates}${memory.length > 0 ? `\n${sizes}` : ''}`;
}

/** Formats a Markdown table with aligned columns. */
function table(header, rows) {
  const widths = header.map((cell, at) => Math.max(cell.length, ...rows.map((row) => row[at].length)));
  const line = (cells) => `| ${cells.map((cell, at) => cell.padEnd(widths[at])).join(' | ')} |\n`;
  return line(header) + line(widths.map((width) => '-'.repeat(width))) + rows.map(line).join('');
}

/** Draws the ratios as bars on a logarithmic scale from 1/8 to 8, with a mark at each goal. */
function chartOf({ rows }) {
  const [left, width, rowHeight, top] = [330, 420, 24, 34];
  const height = top + rows.length * rowHeight + 12;
  const x = (ratio) => left + (width * (Math.log2(Math.min(8, Math.max(1 / 8, ratio))) + 3)) / 6;
  const text = (value) => value.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign]);
  const scale = [1 / 8, 1 / 4, 1 / 2, 1, 2, 4, 8].map(
    (ratio) =>
      `<line x1="${x(ratio)}" x2="${x(ratio)}" y1="${top - 6}" y2="${height - 8}" stroke="${ratio === 1 ? '#57606a' : '#d0d7de'}"/><text x="${x(ratio)}" y="${top - 12}" text-anchor="middle" fill="#57606a">${ratio < 1 ? `1/${1 / ratio}` : ratio}</text>`,
  );
  const bars = rows.map(({ name, peer, ratio, goal }, at) => {
    const y = top + at * rowHeight;
    const [from, to] = [x(1), x(ratio.median)].sort((a, b) => a - b);
    const color = ratio.median >= goal ? '#1a7f37' : ratio.median >= 1 ? '#0969da' : '#bc4c00';
    return `<text x="${left - 12}" y="${y + 15}" text-anchor="end" fill="#24292f">${text(`${name} / ${peer}`)}</text><rect x="${from.toFixed(1)}" y="${y + 4}" width="${Math.max(1, to - from).toFixed(1)}" height="14" rx="2" fill="${color}"/><line x1="${x(goal).toFixed(1)}" x2="${x(goal).toFixed(1)}" y1="${y + 2}" y2="${y + 20}" stroke="#24292f" stroke-width="2"/>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${left + width + 20} ${height}" font-family="system-ui, sans-serif" font-size="12" role="img" aria-label="Ratio of Cairn to its peer for each workload, on a logarithmic scale"><rect width="100%" height="100%" fill="#ffffff"/>${scale.join('')}${bars.join('')}</svg>\n`;
}

/** Writes the results, the chart, and the tables between the marks of a README. */
export function writeReport(result, { json, chart, readme }) {
  for (const file of [json, chart]) mkdirSync(dirname(file), { recursive: true });
  writeFileSync(json, `${JSON.stringify(result, null, 2)}\n`);
  writeFileSync(chart, chartOf(result));
  const page = readFileSync(readme, 'utf8');
  const [start, end] = [page.indexOf(marks.start), page.indexOf(marks.end)];
  if (start === -1 || end < start) throw new Error(`${readme} lacks ${marks.start} or ${marks.end}.`);
  writeFileSync(readme, `${page.slice(0, start + marks.start.length)}\n\n${markdownOf(result)}\n${page.slice(end)}`);
}
