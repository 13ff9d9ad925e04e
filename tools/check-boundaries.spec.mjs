import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, test } from 'node:test';
import { boundaryFaults } from './check-boundaries.mjs';

let workspace;
beforeEach(() => {
  workspace = mkdtempSync(join(tmpdir(), 'cairn-boundaries-'));
});
afterEach(() => rmSync(workspace, { recursive: true }));

function lib(name, files, manifest = {}) {
  const directory = join(workspace, 'libs', name);
  mkdirSync(join(directory, 'src', 'nest'), { recursive: true });
  writeFileSync(join(directory, 'package.json'), JSON.stringify({ name: `@cairn/${name}`, ...manifest }));
  for (const [path, text] of Object.entries(files)) writeFileSync(join(directory, path), text);
  return directory;
}

test('boundary check accepts declared imports along the map', () => {
  const directory = lib(
    'unixfs',
    {
      'src/index.ts':
        "import { CID } from '@cairn/cid';\nimport { join } from 'node:path';\nexport { a } from './a.ts';\n",
    },
    { dependencies: { '@cairn/cid': 'workspace:^' } },
  );
  assert.deepEqual(boundaryFaults(directory), []);
});

const faults = [
  [
    'an import against the map',
    'src/a.ts',
    "import x from '@cairn/auth';",
    /may not import @cairn\/auth.*Allowed: errors/,
  ],
  ['an undeclared package', 'src/a.ts', "import x from 'lodash';", /'lodash' is not declared in dependencies/],
  ['a framework in a core', 'src/a.ts', "import { Module } from '@nestjs/common';", /framework-free core/],
  ['HTTP in a core', 'src/a.ts', "import http from 'node:http';", /Move it to src\/nest or an app/],
  ['the environment in a lib', 'src/a.ts', 'const x = process.env.HOME;', /reads process\.env/],
  ['a path out of the package', 'src/a.ts', "import x from '../../cid/src/index.ts';", /leaves the package/],
  ['a relative import without extension', 'src/a.ts', "import x from './b';", /has no extension/],
  ['a file of several ideas', 'src/a.ts', 'let x;\n'.repeat(400), /One idea a file/],
];
for (const [name, path, text, message] of faults) {
  test(`boundary check refuses ${name}`, () => {
    const found = boundaryFaults(lib('unixfs', { [path]: text }));
    assert.match(found.join('\n'), message);
  });
}

test('boundary check accepts a declared import of Nest in the Nest module', () => {
  const directory = lib(
    'unixfs',
    { 'src/nest/index.ts': "import { Module } from '@nestjs/common';\n" },
    { peerDependencies: { '@nestjs/common': '*' } },
  );
  assert.deepEqual(boundaryFaults(directory), []);
});

test('boundary check refuses a lib without a row in the map', () => {
  assert.match(boundaryFaults(lib('mystery', {})).join('\n'), /not in tools\/package-map\.mjs/);
});
