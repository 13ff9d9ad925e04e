import assert from 'node:assert/strict';
import { test } from 'node:test';
import { build } from 'esbuild';
import { unnameFunctions } from './unname-functions.mjs';

const source = `
export class Failure extends Error { constructor() { super(); this.name = new.target.name; } }
export const Made = class { /* its name is that of the variable */ };
export function outer(list) {
  const inner = (value, text = \`(\${[value].map((each) => each).join(')')}\`) => /^[("]/.test(text) ? text : ', "x")';
  function named() { return inner(1); }
  return [list.map((each) => inner(each)), named(), { get: async () => ({ a: [named.name, inner.name] }) }];
}
export const Old = function () {};
{ function Old() {} Old.prototype.kind = 'older class'; globalThis.old = Old; }
`;

async function bundle(contents) {
  const options = { bundle: true, write: false, format: 'esm', keepNames: true, target: 'node20.19' };
  const { outputFiles } = await build({ ...options, stdin: { contents } });
  return outputFiles[0].text;
}

const load = (code) => import(`data:text/javascript,${encodeURIComponent(code)}`);

test('unnameFunctions leaves the behavior of a bundle and the names of its classes', async () => {
  const before = await bundle(source);
  const after = unnameFunctions(before);
  for (const code of [before, after]) {
    const { Failure, Made, Old, outer } = await load(code);
    assert.deepEqual([new Failure().name, Made.name, Old.name], ['Failure', 'Made', 'Old']);
    assert.equal(globalThis.old.name, 'Old');
    const [list, text, { get }] = outer([1, 2]);
    assert.deepEqual([list, text], [['(1', '(2'], '(1']);
    assert.deepEqual(await get(), { a: ['named', 'inner'] });
  }
});

test('unnameFunctions removes the names that functions within functions define', async () => {
  const after = unnameFunctions(await bundle(source));
  const calls = [...after.matchAll(/__name\((\w+)(?:, "(\w+)")?/g)].map(([, what, name]) => `${what} ${name}`);
  assert.deepEqual(
    calls.filter((call) => /inner|named|each/.test(call)),
    [],
  );
});

test('unnameFunctions reports a call of an unknown form', () => {
  assert.throws(() => unnameFunctions('const a = /* @__PURE__ */ __name(() => 1);'), /has no name/);
});
