#!/usr/bin/env node
// Checks commit messages: node tools/check-commits.mjs main..HEAD, or --file FILE in the hook commit-msg.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { openings, words } from './language/rules.mjs';

const subjectMax = 72;
const types = ['build', 'chore', 'ci', 'docs', 'feat', 'fix', 'perf', 'refactor', 'release', 'revert', 'style', 'test'];
const form = new RegExp(`^(?:${types.join('|')})(?:\\([\\w-]+(?:,[\\w-]+)*\\))?!?: (?<text>\\S.*)$`);
/** Subjects that git writes itself. */
const generated = /^(?:Merge |Revert "|fixup! |squash! )/;

/** @returns faults of one commit message, as sentences that name the fault and its fix */
export function commitFaults(message) {
  const [subject = '', second = ''] = message.split('\n');
  if (generated.test(subject)) return [];
  const faults = [];
  const length = [...subject].length;
  if (length > subjectMax)
    faults.push(`The subject has ${length} characters, at most ${subjectMax} are allowed. Move details to the body.`);
  const text = form.exec(subject)?.groups?.text;
  if (text === undefined)
    faults.push(`The subject does not start with a type. Write one such as "fix(pinning): count a shared block once".`);
  if (subject.endsWith('.')) faults.push('The subject ends with a full stop. Remove it.');
  if (second !== '') faults.push('The second line is not empty. Separate subject and body by an empty line.');
  for (const { pattern, write, appliesTo = ['subject'] } of [...openings, ...words]) {
    if (!appliesTo.includes('subject')) continue;
    const [found] = (text ?? subject).match(pattern) ?? [];
    if (found !== undefined) faults.push(`"${found}" in the subject. Write ${write}.`);
  }
  return faults;
}

function messagesOf([first, second]) {
  if (first === '--file' && second !== undefined)
    return [
      readFileSync(second, 'utf8')
        .replace(/^#.*\n?/gm, '')
        .trimStart(),
    ];
  if (first === undefined) throw new Error('Missing argument: a range of commits such as main..HEAD.');
  const log = execFileSync('git', ['log', '--no-merges', '--format=%B%x00', first], { encoding: 'utf8' });
  return log.split('\0').map((message) => message.trim());
}

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  let count = 0;
  for (const message of messagesOf(process.argv.slice(2)).filter((text) => text !== ''))
    for (const fault of commitFaults(message)) {
      count++;
      console.error(`${message.split('\n')[0]}\n  ${fault}`);
    }
  process.exit(count > 0 ? 1 : 0);
}
