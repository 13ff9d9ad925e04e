/** Prints the median of a list with its spread, and its ratio to another list. */
export function printLine(name, list, unit, digits, beside) {
  const spread = `${Math.min(...list).toFixed(digits)} to ${Math.max(...list).toFixed(digits)}`;
  const ratio = beside === undefined ? '' : `   ${(median(list) / median(beside)).toFixed(2)} of Kubo`;
  console.log(`${name.padEnd(44)} ${median(list).toFixed(digits).padStart(7)} ${unit} (${spread})${ratio}`);
}

function median(list) {
  return [...list].sort((a, b) => a - b)[Math.floor(list.length / 2)];
}
