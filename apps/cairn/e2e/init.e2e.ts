import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Cairn, outcomeOf } from './cairn.ts';

const cairn = new Cairn();
let place: string;
beforeAll(() => {
  place = mkdtempSync(join(tmpdir(), 'cairn-init-'));
});
afterAll(() => {
  cairn.remove();
  rmSync(place, { recursive: true, force: true });
});

const directory = (name: string) => join(place, name);
const read = (...path: string[]) => JSON.parse(readFileSync(join(place, ...path), 'utf8')) as unknown;

test('the written files start the services: up accepts them', async () => {
  const home = directory('home');
  const args = [
    '--network',
    'sepolia=https://rpc.example/secret-key',
    '--head',
    'sepolia=trusted',
    '--call-without-from',
  ];
  const written = await cairn.run(
    'init',
    '--yes',
    '--home',
    home,
    '--console-port',
    '9099',
    '--no-peer',
    ...args,
    '--directory',
    directory('a'),
  );
  expect(written).toMatchObject({ code: 0, stderr: '' });
  expect(written.stdout).not.toContain('secret-key');
  expect(read('a', 'cairn.config.json')).toEqual({
    CAIRN_HOME: home,
    CONSOLE_PORT: 9099,
    CAIRN_IPFS_PEER: 'off',
    CAIRN_NETWORKS: 'networks.json',
  });
  expect(read('a', 'networks.json')).toMatchObject({ networks: [{ name: 'sepolia', requireFrom: false }] });
  for (const name of readdirSync(directory('a'))) expect(statSync(join(place, 'a', name)).mode & 0o777).toBe(0o600);
  const env = { CAIRN_CONFIG: join(place, 'a', 'cairn.config.json') };
  expect(await outcomeOf(cairn.spawn(['up', '--check-config', '--json'], env))).toMatchObject({
    code: 0,
    stdout: '{"isValid":true}\n',
  });
});

test('without networks, calls without `from` are accepted on the sample network', async () => {
  expect(await cairn.run('init', '--yes', '--call-without-from', '--directory', directory('b'))).toMatchObject({
    code: 0,
  });
  expect(read('b', 'networks.json')).toMatchObject({ networks: [{ name: 'sample', requireFrom: false }] });
  const env = { CAIRN_CONFIG: join(place, 'b', 'cairn.config.json') };
  expect(await outcomeOf(cairn.spawn(['up', '--check-config'], env))).toMatchObject({ code: 0 });
});

test('existing files stay without --force', async () => {
  const before = readFileSync(join(place, 'a', 'networks.json'), 'utf8');
  expect(await cairn.run('init', '--yes', '--directory', directory('a'))).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('exists already'),
  });
  expect(readFileSync(join(place, 'a', 'networks.json'), 'utf8')).toBe(before);
  expect(await cairn.run('init', '--yes', '--force', '--directory', directory('a'))).toMatchObject({ code: 0 });
  expect(read('a', 'cairn.config.json')).toEqual({ CAIRN_HOME: '.cairn' });
});

test.each([
  [['--storage-port', '70000'], 2, 'Expected a port'],
  [['--tls-cert', 'nowhere.pem', '--tls-key', 'nowhere.pem'], 2, 'no readable PEM file of a certificate'],
  [['--tls-cert', 'nowhere.pem'], 2, 'need each other'],
  [['--network', 'mainnet=ftp://host'], 3, 'expected a URL of http, https, ws or wss'],
  [['--bind', 'not an address'], 3, 'CAIRN_BIND'],
])('%j is refused and writes nothing', async (args, code, message) => {
  const outcome = await cairn.run('init', '--yes', '--directory', directory('c'), ...args);
  expect(outcome).toMatchObject({ code, stderr: expect.stringContaining(message) });
  expect(existsSync(directory('c')) ? readdirSync(directory('c')) : []).toEqual([]);
});

test('without a terminal and without --yes it asks for options', async () => {
  expect(await cairn.run('init', '--directory', directory('d'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--yes'),
  });
});

test('a script of bash lists the next words', async () => {
  const { stdout } = await cairn.run('completion', 'bash');
  const script = join(place, 'cairn.bash');
  const wrapper = join(place, 'cairn');
  const main = new URL('../dist/main.js', import.meta.url).pathname;
  writeFileSync(wrapper, `#!/bin/sh\nexec "${process.execPath}" "${main}" "$@"\n`);
  chmodSync(wrapper, 0o755);
  writeFileSync(
    script,
    `${stdout}\nCOMP_WORDS=(cairn key ro) COMP_CWORD=2 COMP_LINE='cairn key ro' COMP_POINT=12\n_cairn_completion\nprintf '%s\\n' "\${COMPREPLY[@]}"\n`,
  );
  const { spawn } = await import('node:child_process');
  const env = { ...process.env, PATH: `${place}:${process.env.PATH}` };
  const outcome = await outcomeOf(spawn('bash', [script], { env, stdio: ['ignore', 'pipe', 'pipe'] }));
  expect(outcome).toMatchObject({ code: 0, stdout: 'rotate\n' });
});
