import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Cairn, type Outcome, outcomeOf } from './cairn.ts';
import { emptyGenesis } from './empty-genesis.ts';

interface Summary {
  readonly head: { readonly hash: string; readonly number: number };
  readonly root: string;
}

/** Accounts of the genesis: several chunks, and several commits of a restore. */
const accountCount = 30_000;
const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const place = mkdtempSync(join(tmpdir(), 'cairn-snapshot-'));
const file = join(place, 'chain.car');
const env = { CAIRN_NETWORKS: join(place, 'networks.json') };
const homes: Cairn[] = [];
let source: Cairn;
let written: Summary;

function newHome(): Cairn {
  const home = new Cairn();
  homes.push(home);
  return home;
}

const run = (home: Cairn, ...args: readonly string[]): Promise<Outcome> => outcomeOf(home.spawn(args, env));

/** Runs a command and kills it after a time; `undefined` when it was killed. */
async function runKilled(home: Cairn, afterMs: number, ...args: readonly string[]): Promise<Outcome | undefined> {
  const child = home.spawn(args, env);
  const timer = setTimeout(() => child.kill('SIGKILL'), afterMs);
  const outcome = await outcomeOf(child);
  clearTimeout(timer);
  return outcome.code === null ? undefined : outcome;
}

async function snapshotOf(home: Cairn, to: string): Promise<Summary> {
  const { code, stdout, stderr } = await run(home, 'chain', 'snapshot', 'made', '--out', to, '--json');
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  return JSON.parse(stdout) as Summary;
}

beforeAll(async () => {
  const alloc: Record<string, unknown> = {};
  for (let index = 0; index < accountCount; index++) {
    const hash = createHash('sha256').update(`${index}`).digest('hex');
    const storage = index % 10 === 0 && { storage: { [`0x${hash}`]: '0x01' }, code: '0x6001' };
    alloc[`0x${hash.slice(0, 40)}`] = { balance: `0x1${hash.slice(50)}`, ...storage };
  }
  writeFileSync(join(place, 'genesis.json'), JSON.stringify({ ...emptyGenesis, alloc }));
  const network = (name: string, genesis: string) => ({ name, hosts: [`${name}.localhost`], genesis });
  const networks = [network('made', 'genesis.json'), network('main', 'mainnet')];
  writeFileSync(env.CAIRN_NETWORKS, JSON.stringify({ networks }));
  source = newHome();
  expect(await run(source, 'import', 'made')).toMatchObject({ code: 0, stderr: '' });
});
afterAll(() => {
  for (const home of homes) home.remove();
  rmSync(place, { recursive: true, force: true });
});

test('a snapshot that is killed at any time leaves a complete file under its name, or none', async () => {
  const killed = join(place, 'killed.car');
  let isComplete = false;
  for (let afterMs = 500; !isComplete; afterMs = Math.round(afterMs * (1.2 + Math.random() / 4))) {
    const outcome = await runKilled(source, afterMs, 'chain', 'snapshot', 'made', '--out', killed);
    // A kill can come after the file got its name.
    isComplete = existsSync(killed);
    if (outcome !== undefined) expect({ isComplete, code: outcome.code }).toEqual({ isComplete: true, code: 0 });
  }
  written = await snapshotOf(source, file);
  expect(statSync(killed).size).toBe(statSync(file).size);
  expect(readdirSync(place).sort()).toEqual(['chain.car', 'genesis.json', 'killed.car', 'networks.json']);
});

test('a restore that is killed at any time is not served, resumes, and results in the same chain', async () => {
  const home = newHome();
  const chains = join(home.home, 'chains');
  const args = ['chain', 'restore', file, '--head', written.head.hash];
  let outcome: Outcome | undefined;
  for (let afterMs = 500; outcome === undefined; afterMs = Math.round(afterMs * (1.2 + Math.random() / 4))) {
    expect(existsSync(join(chains, 'made'))).toBe(false);
    outcome = await runKilled(home, afterMs, ...args);
    if (outcome !== undefined || !existsSync(join(chains, 'made'))) continue;
    // Killed between the completion of the chain and the exit. The chain is whole.
    const whole = join(place, 'whole.car');
    expect(await snapshotOf(home, whole)).toMatchObject({ root: written.root });
    for (const path of [whole, join(chains, 'made')]) rmSync(path, { recursive: true });
  }
  expect(outcome).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('Restored and verified') });
  expect(outcome.stdout).not.toContain('taken from the file');
  expect(readdirSync(chains)).toEqual(['made']);
  expect(await snapshotOf(home, join(place, 'again.car'))).toMatchObject({ root: written.root, head: written.head });
  expect(await run(home, 'import', 'made')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('head is block 0'),
  });
});

test('a restore that reaches a limit of the disk fails with the reason, is not served, and resumes later', async () => {
  const home = newHome();
  // The limit of the shell is in units of 512 or 1,024 bytes; the chain is larger than both.
  const limited = spawn(
    'sh',
    ['-c', `trap '' XFSZ; ulimit -f 8000; exec "$0" "$@"`, process.execPath, main, 'chain', 'restore', file],
    {
      env: { ...process.env, ...env, CAIRN_HOME: home.home },
    },
  );
  const { code, stderr } = await outcomeOf(limited);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/The store in .* failed: .*the write was not stored/),
  });
  expect(existsSync(join(home.home, 'chains', 'made'))).toBe(false);
  expect(await run(home, 'chain', 'restore', file)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining(`Compare its hash ${written.head.hash}`),
  });
});

test('a snapshot that reaches a limit of the disk fails with the reason and leaves nothing', async () => {
  const directory = join(place, 'full');
  mkdirSync(directory);
  const limited = spawn(
    'sh',
    [
      '-c',
      `trap '' XFSZ; ulimit -f 200; exec "$0" "$@"`,
      process.execPath,
      main,
      'chain',
      'snapshot',
      'made',
      '--out',
      join(directory, 'chain.car'),
    ],
    { env: { ...process.env, ...env, CAIRN_HOME: source.home } },
  );
  const { code, stderr } = await outcomeOf(limited);
  expect({ code, stderr }).toEqual({
    code: 1,
    stderr: expect.stringMatching(/cannot be written: EFBIG.*Free disk space/),
  });
  expect(readdirSync(directory)).toEqual([]);
});

test('mistakes are reported with what to do', async () => {
  const home = newHome();
  for (const [args, expected, message] of [
    [['snapshot', 'made'], 4, 'There is no chain in'],
    [['snapshot', 'other'], 4, 'There is no network "other"'],
    [['restore', join(place, 'absent.car')], 1, 'cannot be opened (ENOENT)'],
    [['restore', join(place, 'genesis.json')], 1, 'it is not a CAR'],
    [['restore', file, '--network', 'main'], 1, 'is of chain 4242 ("made"), while network "main" is chain 1'],
    [['restore', file, '--head', '0x12'], 2, 'Expected a block hash'],
    [['restore', file, '--head', `0x${'12'.repeat(32)}`], 1, 'is block 0 (0x'],
  ] as const) {
    const { code, stderr } = await run(home, 'chain', ...args);
    expect({ code, stderr }).toEqual({ code: expected, stderr: expect.stringContaining(message) });
  }
  expect(await run(source, 'chain', 'restore', file)).toMatchObject({
    code: 5,
    stderr: expect.stringContaining('There is a chain in'),
  });
});
