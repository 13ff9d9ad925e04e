import { spawn } from 'node:child_process';
import { cpSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { describeWithPostgres, describeWithRedis } from '../../../tools/engines/jest.mjs';
import { Cairn, outcomeOf } from './cairn.ts';

const cairn = new Cairn();
afterAll(() => cairn.remove());

/** Ports that the system chooses are not checked: other tests may have services on the default ones. */
const ports = Object.fromEntries(
  ['STORAGE_API_PORT', 'RPC_GATEWAY_PORT', 'IPFS_GATEWAY_PORT', 'IPFS_PEER_API_PORT', 'CONSOLE_PORT'].map((name) => [
    name,
    '0',
  ]),
);

test('doctor reports each check, changes nothing, and exits with 1 on a fault', async () => {
  const { code, stdout, stderr } = await outcomeOf(cairn.spawn(['doctor'], ports));
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^good {5}settings {3}All settings are valid\.$/m);
  expect(stdout).toMatch(/\d+ good, \d+ warnings, 0 faults, 1 not checked\.\n$/);
  expect(readdirSync(cairn.home)).toEqual([]);
});

test('doctor lists wrong settings and engines that do not answer, without their passwords', async () => {
  const wrong = await outcomeOf(cairn.spawn(['doctor', '--json'], { ...ports, CAIRN_BIND: '', CONSOLE_PORT: 'x' }));
  expect(wrong.code).toBe(1);
  const findings = JSON.parse(wrong.stdout) as readonly { readonly state: string; readonly text: string }[];
  expect(findings.filter(({ state }) => state === 'fault').map(({ text }) => text.split(':')[0])).toContain(
    'CONSOLE_PORT',
  );
  const env = { ...ports, CAIRN_DATABASE_URL: 'postgres://cairn:hidden@127.0.0.1:9/cairn' };
  const away = await outcomeOf(cairn.spawn(['doctor'], env));
  expect(away.code).toBe(1);
  expect(away.stdout).toMatch(/^FAULT {4}engines/m);
  expect(away.stdout + away.stderr).not.toContain('hidden');
});

test('a deployed command without services beside it checks what it can, and up names the missing builds', async () => {
  const place = mkdtempSync(join(tmpdir(), 'cairn-deployed-'));
  const [source, folder] = [join(import.meta.dirname, '..'), join(place, 'cairn')];
  for (const name of ['dist', 'package.json']) cpSync(join(source, name), join(folder, name), { recursive: true });
  symlinkSync(join(source, 'node_modules'), join(folder, 'node_modules'));
  const network = join(source, '..', '..', 'tools', 'sample-network', 'network');
  cpSync(network, join(folder, 'sample-network'), { recursive: true });
  const env = { ...process.env, ...ports, CAIRN_HOME: cairn.home };
  const run = (...args: readonly string[]) =>
    outcomeOf(spawn(process.execPath, [join(folder, 'dist', 'main.js'), ...args], { env }));
  const { code, stdout, stderr } = await run('doctor');
  expect([code, stderr]).toEqual([0, '']);
  expect(stdout).toMatch(/^- {8}settings {3}Settings of storage-api, .*, console were not checked/m);
  expect(await run('up', '--check-config')).toMatchObject({
    code: 4,
    stderr: expect.stringMatching(/finds no build of storage-api, .* Run `npm start`/),
  });
  rmSync(place, { recursive: true });
});

describeWithPostgres('doctor with engines', (postgres) => {
  describeWithRedis('of the distributed form', (redis) => {
    test('reports engines that work', async () => {
      const CAIRN_DATABASE_URL = await postgres().createDatabase();
      const env = { ...ports, CAIRN_DATABASE_URL, CAIRN_REDIS_URL: redis().url };
      const { code, stdout } = await outcomeOf(cairn.spawn(['doctor'], env));
      expect(code).toBe(0);
      expect(stdout).toMatch(/^good {5}engines {4}PostgreSQL \(CAIRN_DATABASE_URL\) works\.$/m);
      expect(stdout).toMatch(/^good {5}engines {4}Redis \(CAIRN_REDIS_URL\) works\.$/m);
    });
  });
});
