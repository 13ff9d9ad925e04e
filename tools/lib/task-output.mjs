const escapeCharacter = String.fromCharCode(27);
const colours = new RegExp(`${escapeCharacter}\\[[0-9;]*m`, 'g');

/**
 * Divides the output of nx (`--output-style=static`) by task.
 * @param {string} output combined output of one or more runs
 * @returns {Map<string, string>} last output of each task, such as `@cairn/cid:test`
 */
export function outputByTask(output) {
  const [, ...parts] = output.replace(colours, '').split(/^> nx run (\S+).*$/m);
  const tasks = new Map();
  for (let index = 0; index < parts.length; index += 2) tasks.set(parts[index], parts[index + 1]);
  return tasks;
}

/** Tasks that a run of nx lists as failed. */
export function failedTasks(output) {
  const [, list = ''] = /^Failed tasks:\s*\n((?:\s*- \S+\n)+)/m.exec(output.replace(colours, '')) ?? [];
  return [...list.matchAll(/- (\S+)/g)].map(([, task]) => task);
}
