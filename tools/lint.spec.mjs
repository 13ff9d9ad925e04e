import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { languageFaults } from './check-language.mjs';
import { createFinder, namedFileFaults } from './check-named-files.mjs';
import { root } from './lib/toolchain.mjs';

const refused = [
  [
    'an opening of a doc comment',
    'a.ts',
    '/** What a block costs. */\nlet a;',
    /^a\.ts:1: "What" in a comment\. Write a noun/,
  ],
  ['an opening behind code', 'a.ts', 'let a;\nlet b; // Where it is\n', /^a\.ts:2: "Where" in a comment/],
  [
    'a word on the second line of a comment',
    'a.ts',
    '/**\n * Returns\n * nobody.\n */',
    /^a\.ts:3: "nobody" in a comment/,
  ],
  [
    'a phrase across two lines',
    'a.ts',
    '// Runs at\n// once.\n',
    /^a\.ts:1: "at once" in a comment\. Write "immediately"/,
  ],
  ['a word after a tag', 'a.ts', '/** @param x is told */', /"told" in a tag/],
  ['an opening of a test name', 'a.spec.ts', "test.each([['a']])('What %s does', () => {});", /"What" in a test name/],
  ['a word of a message', 'a.ts', 'throw new Error(`a block has rotted`);', /"rotted" in a message\. Write "corrupt"/],
  ['a word of a page', 'a.tsx', 'const a = <p>Ask whoever\nruns it.</p>;', /^a\.tsx:1: "whoever" in a message/],
  ['an old name', 'a.ts', 'const plainLane = new PlainLane();', /"PlainLane" in a name\. Write `HttpFastPath`/],
  [
    'a heading that is a question',
    'a.md',
    '# A\n\n## How blocks go\n',
    /^a\.md:3: "How" in a heading\. Write the term/,
  ],
  ['a phrase of a page', 'a.md', 'Text that\ngoes on.\n', /^a\.md:2: "goes on" in a paragraph/],
  ['a comment of a workflow', 'a.yml', 'a: 1 # Who runs it\n', /^a\.yml:1: "Who" in a comment/],
];
for (const [name, path, text, message] of refused)
  test(`language check refuses ${name}`, () => assert.match(languageFaults(path, text).join('\n'), message));

const taken = [
  ['a verb first', 'a.ts', '/** Reports what a block costs. */'],
  [
    'code, regular expressions and types',
    'a.ts',
    "type What = 'a'; const at = once / 2; /told/.test(a); const b = c as Of;",
  ],
  ['code of a page', 'a.md', 'Use `told`.\n\n```ts\nconst told = 1;\n```\n'],
  ['a message that starts with What', 'a.ts', "ask('What is the name of the account?');"],
  ['words that contain others', 'a.ts', '// An untold endearment becomes total.'],
];
for (const [name, path, text] of taken)
  test(`language check accepts ${name}`, () => assert.deepEqual(languageFaults(path, text), []));

const isFile = createFinder(['libs/cid/src/cid.ts', 'docs/decisions/lmdb.md']);
test('named-file check refuses a comment with a file that does not exist', () => {
  const faults = namedFileFaults('libs/cid/src/a.ts', '/**\n * Compared in\n * `old.bench.ts`.\n */', isFile);
  assert.match(faults.join('\n'), /^libs\/cid\/src\/a\.ts:3: there is no file old\.bench\.ts/);
});
test('named-file check refuses a link of a page to a file that does not exist', () => {
  assert.match(
    namedFileFaults('a.md', 'See [x](docs/decisions/old.md).', isFile).join('\n'),
    /no file docs\/decisions\/old\.md/,
  );
});
test('named-file check accepts files, file ends, patterns and other repositories', () => {
  const text = '// cid.ts, src/cid.ts, ../docs/decisions/lmdb.md, *.spec.ts, ethereum/eips, EIPS/eip-1.md';
  assert.deepEqual(namedFileFaults('libs/cid/src/a.ts', text, isFile), []);
});

test('every package runs the same lint', () => {
  for (const kind of ['apps', 'libs'])
    for (const name of readdirSync(join(root, kind))) {
      const { scripts } = JSON.parse(readFileSync(join(root, kind, name, 'package.json'), 'utf8'));
      assert.equal(scripts.lint, 'biome check . && node ../../tools/lint.mjs .', `${kind}/${name}`);
    }
});
