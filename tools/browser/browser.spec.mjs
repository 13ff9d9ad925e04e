// Tests the cores of the libs in a browser: installed from their tarballs, bundled by Vite, run in Chromium, compared
// with Node.
import assert from 'node:assert/strict';
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { root } from '../lib/toolchain.mjs';
import { esmFrom, examplesOf } from '../release/examples.mjs';
import { bundle } from './bundle.mjs';
import { browserPath, launch, runInDevelopment, runInPage } from './chromium.mjs';
import { installLibs } from './install.mjs';
import { browserLibs, vectors } from './vectors.mjs';

const project = mkdtempSync(join(tmpdir(), 'cairn-browser-'));
const foreign = /__vite-browser-external|__vite-optional-peer-dep|\bfrom\s*["']node:|\brequire\(|\bimport\(["']node:/;
let browser;

before(async () => {
  await installLibs(project);
  cpSync(join(import.meta.dirname, 'scenarios'), join(project, 'scenarios'), { recursive: true });
  if (browserPath === undefined)
    console.log('skipped: no browser is installed; on Debian, run: apt-get install chromium');
  else browser = await launch();
});

after(async () => {
  await browser?.close();
  rmSync(project, { recursive: true, force: true });
});

/** Bundles a module of the project; fails on a warning of Vite and on a Node module in the bundle. */
async function bundled(entry, name) {
  const outDir = join(project, 'pages', name);
  const { files, warnings } = await bundle({ root: project, entry: join(project, entry), outDir });
  assert.deepEqual(warnings, []);
  for (const file of files) assert.doesNotMatch(String(file.code), foreign, `${name}: ${file.name}`);
  return outDir;
}

for (const name of browserLibs)
  describe(`@cairn/${name}`, () => {
    let outDir;

    test('bundles without a warning, a polyfill or a Node module', { timeout: 120_000 }, async () => {
      outDir = await bundled(`scenarios/${name}.mjs`, name);
    });

    test('returns the same in a page and on Node', { skip: browserPath === undefined, timeout: 180_000 }, async () => {
      const { run } = await import(pathToFileURL(join(project, 'scenarios', `${name}.mjs`)).href);
      const expected = JSON.parse(JSON.stringify(await run(vectors[name])));
      const { result, faults } = await runInPage(browser, outDir, 'run', vectors[name]);
      assert.deepEqual(faults, []);
      assert.deepEqual(result, expected);
    });

    test('runs the example for browsers of its README', {
      skip: browserPath === undefined,
      timeout: 120_000,
    }, async () => {
      const example = browserExampleOf(name);
      const file = `example-${name}.mjs`;
      writeFileSync(join(project, file), esmFrom(example));
      const { lines, faults } = await runInPage(browser, await bundled(file, `example-${name}`));
      assert.deepEqual(faults, []);
      const said = [...example.matchAll(/console\.log\(.*\); \/\/ (.+)$/gm)].map(([, comment]) => comment);
      assert.ok(said.length > 0, 'The comment in the example states no output.');
      assert.deepEqual(lines, said);
    });
  });

test("Vite's development server serves the libs", { skip: browserPath === undefined, timeout: 120_000 }, async () => {
  const names = browserLibs.map((name, index) => `import * as lib${index} from '@cairn/${name}';`);
  const list = browserLibs.map((_, index) => `lib${index}`).join(', ');
  writeFileSync(join(project, 'dev.js'), `${names.join('\n')}\nglobalThis.libs = [${list}].map(Object.keys);\n`);
  writeFileSync(join(project, 'index.html'), '<!doctype html><script type="module" src="/dev.js"></script>');
  const expected = await Promise.all(
    browserLibs.map(async (name) => {
      const entry = pathToFileURL(join(project, 'scenarios', `all-${name}.mjs`));
      writeFileSync(entry, `export * from '@cairn/${name}';`);
      return Object.keys(await import(entry.href));
    }),
  );
  const { libs, faults, warnings } = await runInDevelopment(browser, project, 'globalThis.libs');
  assert.deepEqual([faults, warnings], [[], []]);
  assert.deepEqual(libs, expected);
});

test('results in a page are correct, not only equal to those of Node', {
  skip: browserPath === undefined,
  timeout: 120_000,
}, async () => {
  const { result } = await runInPage(browser, join(project, 'pages', 'evm-executor'), 'run', vectors['evm-executor']);
  const { default: results } = result.results;
  const word = (digits) => `0x${digits.padStart(64, '0')}`;
  assert.equal(results['01 ecrecover'].output, word('a94f5374fce5edbc8e2a8697c15331677e6ebf0b'));
  assert.equal(results['05 modexp'].output, '0x05');
  assert.equal(results['08 bn254 pairing'].output, word('1'));
  assert.equal(results['0f bls12-381 pairing'].output, word('1'));
  assert.equal(results['0a point evaluation'].kind, 'success');
  assert.equal(results['0a point evaluation of a wrong value'].kind, 'halt');
  assert.match(results['09 blake2f'].output, /^0xba80a53f981c4d0d/);
  assert.equal(results.revert.reason, 'Not enough €');
  assert.equal(results.panic.reason, 'arithmetic underflow or overflow');
  const unixfs = await runInPage(browser, join(project, 'pages', 'unixfs'), 'run', {});
  assert.equal(new Set(unixfs.result.sources.map(([cid]) => cid)).size, 1);
});

function browserExampleOf(name) {
  const text = examplesOf(join(root, 'libs', name, 'README.md'), { heading: 'In a browser' });
  assert.equal(text.length, 1, `libs/${name}/README.md has one example under "In a browser".`);
  return text[0].code;
}
