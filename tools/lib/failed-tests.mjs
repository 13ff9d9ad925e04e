const escapeCharacter = String.fromCharCode(27);
const colours = new RegExp(`${escapeCharacter}\\[[0-9;]*m`, 'g');

/**
 * Names of failed tests in the output of jest ("  ● suite › test"), node's runner ("not ok 1 - test") and mocha
 * ("  1) suite" and its indented lines, after "1 failing").
 * @param {string} output output of one task
 * @returns {string[]} each name once, in the order of the output
 */
export function failedTests(output) {
  const text = output.replace(colours, '');
  // The heading of what a test printed looks like a name.
  const names = [...text.matchAll(/^ {2}● (?!Console$)(.+)$/gm), ...text.matchAll(/^\s*not ok \d+ - (.+)$/gm)].map(
    ([, name]) => name,
  );
  const [, list = ''] = /^ {2}\d+ failing\n([\s\S]*)/m.exec(text) ?? [];
  // A name of mocha goes over several lines and ends with a colon.
  for (const [, name] of list.matchAll(/^ {2}\d+\) ([\s\S]+?):\n/gm)) names.push(name.split(/\n\s*/).join(' › '));
  return [...new Set(names)];
}
