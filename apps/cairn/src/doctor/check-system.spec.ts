import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { checkSystem, checkTls } from './check-system.ts';

const GiB = 1024 ** 3;
const dayMs = 86_400_000;

test('checkSystem warns of little memory and names the versions', () => {
  const states = (bytes: number) => checkSystem('1.0.0', bytes).map(({ check, state }) => [check, state]);
  expect(states(GiB)).toContainEqual(['memory', 'warning']);
  expect(states(8 * GiB)).toContainEqual(['memory', 'good']);
  expect(checkSystem('1.0.0')[0]?.text).toBe(`Cairn 1.0.0 on Node ${process.versions.node}.`);
});

test('checkTls reports a certificate that expires soon, has expired, or is not valid yet', () => {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-tls-'));
  const file = (name: string) => join(directory, name);
  const names = ['-keyout', file('key.pem'), '-out', file('cert.pem'), '-subj', '/CN=localhost'];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '30', ...names], {
    stdio: 'ignore',
  });
  const tls = { cert: readFileSync(file('cert.pem'), 'utf8'), key: readFileSync(file('key.pem'), 'utf8') };
  rmSync(directory, { recursive: true });
  const stateAfter = (days: number) => checkTls({ tls }, Date.now() + days * dayMs).map(({ state }) => state);
  expect([-2, 0, 20, 31].map(stateAfter)).toEqual([['fault'], ['good'], ['warning'], ['fault']]);
  expect(checkTls({ tls: undefined })).toEqual([]);
});
