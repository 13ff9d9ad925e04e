// Second factors at rest: sealed at the first start, readable with the key only, also after a rotation under a running
// console.
import { createHmac } from 'node:crypto';
import { readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Auth, Members, openLmdbAccountStore } from '@cairn/auth';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { services } from '../src/workspace.ts';
import { Cairn } from './cairn.ts';

const cairn = new Cairn();
const keyFile = join(cairn.home, 'secrets.key');
const password = 'four words in a row';
const actor = { who: 'test', from: 'here' };
let secret: string;
let console_: RunningService | undefined;

beforeAll(async () => {
  // Plain text, as earlier versions stored it.
  const store = await openLmdbAccountStore({ directory: join(cairn.home, 'accounts') });
  const auth = new Auth({ store });
  const members = new Members({ auth, store: store.members });
  const { member } = await members.signUp({ email: 'ann@example.org', password, accountName: 'ann', actor });
  await members.signUp({ email: 'bob@example.org', password, accountName: 'bob', actor });
  ({ secret } = await members.beginTotp(member));
  await members.confirmTotp(member, codeOf(-1), actor);
  await auth.close();
});
afterAll(async () => {
  await console_?.stop('SIGKILL');
  cairn.remove();
});

/** RFC 6238: a code of the window that begins a number of steps from now. */
function codeOf(steps: number): string {
  const bits = [...secret].map((letter) =>
    'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567'.indexOf(letter).toString(2).padStart(5, '0'),
  );
  const key = Buffer.from((bits.join('').match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const mac = createHmac('sha1', key).update(counter).digest();
  const at = (mac.at(-1) ?? 0) & 15;
  return String((mac.readUInt32BE(at) & 0x7fffffff) % 1_000_000).padStart(6, '0');
}

async function startConsole(): Promise<RunningService> {
  console_ = await startService({ main: services.console, home: cairn.home });
  return console_;
}

async function signIn(service: RunningService, email: string, code?: string) {
  const answer = await fetch(`${service.url}/api/sign-in`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-cairn-console': '1' },
    body: JSON.stringify({ email, password, ...(code !== undefined && { code }) }),
  });
  const body = (await answer.json().catch(() => ({}))) as { error?: { code: string; hint: string } };
  return { status: answer.status, code: body.error?.code, hint: body.error?.hint };
}

/** Reports whether a file below a directory contains a text. */
function holds(directory: string, text: string): boolean {
  return readdirSync(directory, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .some(({ parentPath, name }) => readFileSync(join(parentPath, name)).includes(text));
}

test('the first start creates a key and seals; backups contain neither the key nor plain secrets', async () => {
  const service = await startConsole();
  expect(statSync(keyFile).mode & 0o777).toBe(0o600);
  expect(service.text()).toContain('second factors were sealed');
  expect(await cairn.json('secrets', 'status')).toEqual({ sealed: 1, stale: 0, lost: {} });
  const backup = join(cairn.home, '..', `${cairn.home.split('/').at(-1)}-backup`);
  const { code, stdout } = await cairn.run('backup', backup);
  expect([code, stdout]).toEqual([0, expect.stringContaining('The key of second factors is not in it')]);
  const key = readFileSync(keyFile, 'utf8').trim().split('\n').at(-1) ?? '';
  expect([holds(backup, secret), holds(backup, key), readdirSync(backup)]).toEqual([
    false,
    false,
    expect.not.arrayContaining(['secrets.key']),
  ]);
  rmSync(backup, { recursive: true });
  expect((await signIn(service, 'ann@example.org', codeOf(0))).status).toBeLessThan(300);
});

test('a rotation takes effect in the running console', async () => {
  const before = readFileSync(keyFile, 'utf8');
  expect(await cairn.json('secrets', 'rotate')).toMatchObject({ resealed: 1 });
  expect(readFileSync(keyFile, 'utf8')).not.toBe(before);
  expect((await signIn(console_ as RunningService, 'ann@example.org', codeOf(1))).status).toBeLessThan(300);
});

test('without the key, the start and a sign-in with a second factor report it, others work, and no key is created', async () => {
  await console_?.stop();
  renameSync(keyFile, `${keyFile}.away`);
  const service = await startConsole();
  expect(service.text()).toContain('second factors cannot be opened');
  const refused = await signIn(service, 'ann@example.org', codeOf(0));
  expect(refused).toEqual({ status: 503, code: 'SECRETS_KEY_UNUSABLE', hint: expect.stringContaining('restores it') });
  expect((await signIn(service, 'bob@example.org')).status).toBeLessThan(300);
  expect(readdirSync(cairn.home)).not.toContain('secrets.key');
  const { code, stdout } = await cairn.run('secrets', 'status');
  expect([code, stdout]).toEqual([1, expect.stringContaining('LOST')]);
  renameSync(`${keyFile}.away`, keyFile);
  expect((await cairn.run('secrets', 'status')).code).toBe(0);
});
