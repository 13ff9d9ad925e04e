const escapeCharacter = String.fromCharCode(27);
const colours = new RegExp(`${escapeCharacter}\\[[0-9;]*m`, 'g');

/**
 * Sums the final counts of jest ("Tests: 1 failed, 2 skipped, 3 passed, 6 total"), node's runner ("ℹ pass 3") and mocha
 * ("3 passing (2s)").
 * @param {string} output combined output of the runners
 */
export function countTests(output) {
  const total = { passed: 0, failed: 0, skipped: 0 };
  for (const line of output.replace(colours, '').split('\n')) {
    const jest = /^Tests:\s+(.*\d+ total)\s*$/.exec(line);
    const node = /^(?:ℹ|#) (pass|fail|skipped) (\d+)\s*$/.exec(line);
    for (const [, count, kind] of jest?.[1].matchAll(/(\d+) (passed|failed|skipped)/g) ?? [])
      total[kind] += Number(count);
    const mocha = /^ {2}(\d+) (passing|failing|pending)(?: \([\w.]+\))?\s*$/.exec(line);
    if (mocha) total[{ passing: 'passed', failing: 'failed', pending: 'skipped' }[mocha[2]]] += Number(mocha[1]);
    if (node) total[{ pass: 'passed', fail: 'failed', skipped: 'skipped' }[node[1]]] += Number(node[2]);
  }
  return total;
}
