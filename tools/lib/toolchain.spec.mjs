import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { test } from 'node:test';
import { root } from './toolchain.mjs';

test('every workflow and script names the pnpm version of package.json', () => {
  const { packageManager } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const workflows = join(root, '.github', 'workflows');
  const files = [
    ...readdirSync(workflows).map((name) => join(workflows, name)),
    join(root, 'CONTRIBUTING.md'),
    join(root, 'tools', 'package.json'),
  ];
  for (const file of files)
    for (const [named] of readFileSync(file, 'utf8').matchAll(/pnpm@[\d.]+\d/g))
      assert.equal(named, packageManager, file);
});

test('nx starts no pnpm and no plugin process', { timeout: 120_000 }, () => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-nx-'));
  try {
    // The only pnpm on the path leaves a file behind when something starts it.
    const started = join(directory, 'started');
    writeFileSync(join(directory, 'pnpm'), `#!/bin/sh\ntouch '${started}'\nexit 1\n`);
    chmodSync(join(directory, 'pnpm'), 0o755);
    symlinkSync(process.execPath, join(directory, 'node'));
    const { status, stdout, stderr } = spawnSync(
      process.execPath,
      [join(root, 'node_modules', 'nx', 'dist', 'bin', 'nx.js'), 'show', 'project', '@cairn/cid', '--json'],
      {
        cwd: root,
        encoding: 'utf8',
        env: {
          HOME: directory,
          PATH: [directory, '/bin', '/usr/bin', dirname(process.execPath)].join(delimiter),
          NX_DAEMON: 'false',
          NX_PERF_LOGGING: 'true',
        },
      },
    );
    assert.equal(status, 0, stderr);
    assert.doesNotMatch(stdout + stderr, /pnpm: not found|start-plugin-worker/);
    assert.ok(!readdirSync(directory).includes('started'), 'nx started pnpm');
  } finally {
    rmSync(directory, { recursive: true });
  }
});
