import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, expect, test } from '@jest/globals';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const directory = mkdtempSync(join(tmpdir(), 'cairn-check-'));
afterAll(() => rmSync(directory, { recursive: true }));

test('--check-config refuses a networks file that a start refuses, without the keys of its URLs', () => {
  const file = join(directory, 'networks.json');
  const network = { name: 'test', hosts: ['*'], genesis: 'mainnet', head: { trusted: true } };
  const check = (url: string) => {
    writeFileSync(file, JSON.stringify({ networks: [{ ...network, upstreams: [url] }] }));
    const env = { ...process.env, CAIRN_HOME: join(directory, 'home'), CAIRN_NETWORKS: file };
    const { status, stdout, stderr } = spawnSync(process.execPath, [main, '--check-config'], { env, encoding: 'utf8' });
    return [status, stdout + stderr] as const;
  };
  expect(check('https://rpc.example/key')).toEqual([0, 'The settings are good.\n']);
  const [status, text] = check('ftp://rpc.example/hidden');
  expect([status, text]).toEqual([1, expect.stringContaining('networks.0.upstreams.0: expected a URL')]);
  expect(text).not.toContain('hidden');
});
