import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Auth, openLmdbAccountStore } from '@cairn/auth';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { services } from '../src/workspace.ts';
import { Cairn, outcomeOf } from './cairn.ts';

const secret = 'secret-of-the-migration';
const env = {
  CAIRN_MIGRATE_KEY: 'new',
  CAIRN_MIGRATE_SECRET: secret,
  CAIRN_MIGRATE_FROM_KEY: 'old',
  CAIRN_MIGRATE_FROM_SECRET: secret,
};
const place = mkdtempSync(join(tmpdir(), 'cairn-migrate-'));
const homes = [new Cairn(), new Cairn()] as const;
let from: RunningService;
let to: RunningService;
const cids: string[] = [];

beforeAll(async () => {
  for (const [index, key] of ['old', 'new'].entries()) {
    const home = homes[index as 0 | 1].home;
    const auth = new Auth({ store: await openLmdbAccountStore({ directory: join(home, 'accounts') }) });
    await auth.createAccount({ name: key, plan: 'local' });
    await auth.attachCard(key, { brand: 'visa', last4: '4242' });
    await auth.createKey(key, { id: key, secret });
    await auth.close();
  }
  from = await startService({ main: services['storage-api'], home: homes[0].home });
  to = await startService({ main: services['storage-api'], home: homes[1].home });
  for (let n = 0; n < 40; n++) {
    const form = new FormData();
    form.set('file', new Blob([`content ${n} `.repeat(n * 4000 + 1)]), `file-${n}.txt`);
    const answer = await post(from, 'old', `add?pin-name=name-${n}`, form);
    cids.push(((await answer.json()) as { Hash: string }).Hash);
  }
});
afterAll(async () => {
  await Promise.all([from, to].map((service) => service.stop()));
  for (const home of homes) home.remove();
  rmSync(place, { recursive: true, force: true });
});

function post({ url }: RunningService, key: string, command: string, body?: FormData): Promise<Response> {
  const authorization = `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}`;
  return fetch(`${url}/api/v0/${command}`, { method: 'POST', headers: { authorization }, ...(body && { body }) });
}

const state = join(place, 'state.jsonl');
const start = (...args: readonly string[]) =>
  homes[0].spawn(['migrate', '--to', to.url, '--state', state, ...args], env);
const pinned = async () => {
  const { Keys } = (await (await post(to, 'new', 'pin/ls?type=recursive&names=true')).json()) as {
    // The set is absent while it is empty.
    Keys?: Record<string, { Name: string }>;
  };
  return Keys ?? {};
};

test('a killed migration resumes where it stopped, and verifies every pin', async () => {
  const first = start('--from', from.url, '--parallel', '1');
  const ended = outcomeOf(first);
  while (Object.keys(await pinned()).length < 5) await new Promise((resolve) => setTimeout(resolve, 5));
  first.kill('SIGKILL');
  await ended;
  const before = Object.keys(await pinned()).length;
  expect(before).toBeLessThan(40);
  const { code, stdout, stderr } = await outcomeOf(start('--from', from.url));
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
  expect(stdout).toContain('40 verified, 0 missing, 0 different, 0 refused');
  const keys = await pinned();
  expect(Object.keys(keys).sort()).toEqual([...cids].sort());
  expect(keys[cids[7] ?? '']?.Name).toBe('name-7');
  const [large = ''] = cids.slice(-1);
  const [one, other] = await Promise.all([post(from, 'old', `cat?arg=${large}`), post(to, 'new', `cat?arg=${large}`)]);
  expect(Buffer.from(await other.arrayBuffer()).equals(Buffer.from(await one.arrayBuffer()))).toBe(true);
  expect(stdout + stderr + readFileSync(state, 'utf8')).not.toContain(secret);
});

test('missing DAGs and DAGs with another CID are reported with exit code 1', async () => {
  const missing = 'bafybeigdyrzt5sfp7udm7hu76uh7y26nf3efuylqabf3oclgtqy55fbzdi';
  const csv = join(place, 'pins.csv');
  writeFileSync(csv, `cid,name\n${cids[0]},first\n${missing},gone\n`);
  const some = await outcomeOf(start('--from', from.url, '--pins', csv));
  expect(some.code).toBe(1);
  expect(some.stdout).toContain(`MISSING  ${missing}`);
  expect(some.stdout).toContain('1 verified, 1 missing');
  const cars = join(place, 'cars');
  mkdirSync(cars);
  const car = Buffer.from(await (await post(from, 'old', `dag/export?arg=${cids[3]}`)).arrayBuffer());
  writeFileSync(join(cars, `${missing}.car`), car);
  writeFileSync(join(cars, `${cids[3]}.car`), car);
  const wrong = await outcomeOf(start('--from', cars, '--json'));
  expect(wrong.code).toBe(1);
  expect(JSON.parse(wrong.stdout)).toMatchObject({ verified: 1, different: 1, isWhole: true });
  expect(readFileSync(state, 'utf8')).toContain(`"cid":"${missing}","state":"different"`);
});

test.each([
  ['CAIRN_MIGRATE_FROM_SECRET', '--from', 'Set CAIRN_MIGRATE_FROM_KEY and CAIRN_MIGRATE_FROM_SECRET'],
  ['CAIRN_MIGRATE_SECRET', '--to', 'Set CAIRN_MIGRATE_KEY and CAIRN_MIGRATE_SECRET'],
])('a wrong %s ends the command before the first copy', async (name, option, advice) => {
  const csv = join(place, 'one.csv');
  writeFileSync(csv, `${cids[1]}\n`);
  const unused = join(place, `state-${name}.jsonl`);
  const args = ['migrate', '--from', from.url, '--to', to.url, '--pins', csv, '--state', unused];
  const { code, stderr } = await outcomeOf(homes[0].spawn(args, { ...env, [name]: 'wrong' }));
  expect(code).toBe(3);
  expect(stderr).toContain(`${option}: the server refuses the credentials (status 401)`);
  expect(stderr).toContain(advice);
  expect(existsSync(unused)).toBe(false);
});

test.each([
  [['--from', 'nowhere'], 2, 'expected an address'],
  [['--from', 'http://127.0.0.1:1'], 6, 'the server is unreachable'],
  [['--from', 'kubo', '--parallel', '0'], 2, 'from 1 to 99'],
])('%j is refused with a clear message', async (args, expected, words) => {
  const { code, stderr } = await outcomeOf(start(...args));
  expect(code).toBe(expected);
  expect(stderr).toContain(words);
  expect(stderr).not.toMatch(/^ {4}at /m);
});
