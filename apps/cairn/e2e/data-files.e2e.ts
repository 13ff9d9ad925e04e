// Data files that are truncated or exchanged under running and stopped services. A read of the map of such a file ends
// the process with SIGBUS; the services refuse the store before that.
import { copyFileSync, existsSync, readdirSync, rmSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { Auth, openLmdbAccountStore } from '@cairn/auth';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { services } from '../src/workspace.ts';
import { Cairn } from './cairn.ts';

const cairn = new Cairn();
const opened = {
  'storage-api': ['accounts', 'pins', 'files', 'blocks', 'limits'],
  'rpc-gateway': ['accounts', 'chains', 'limits'],
  console: ['accounts', 'pins', 'limits'],
} as const;
type ServiceName = keyof typeof opened;
const cases = (Object.keys(opened) as ServiceName[]).flatMap((name) => opened[name].map((store) => ({ name, store })));
/** Stores that are also opened by one service each after the damage. */
const untried = new Set<string>(cases.map(({ store }) => store));

let credentials: string;
let running: RunningService | undefined;
/** Damaged file, whose whole copy is beside it. */
let damaged: string | undefined;
beforeAll(async () => {
  const auth = new Auth({ store: await openLmdbAccountStore({ directory: join(cairn.home, 'accounts') }) });
  await auth.createAccount({ name: 'ann', plan: 'local' });
  await auth.attachCard('ann', { brand: 'visa', last4: '4242' });
  await auth.createKey('ann', { id: 'ann-key', secret: 'ann-secret' });
  await auth.close();
  credentials = `Basic ${Buffer.from('ann-key:ann-secret').toString('base64')}`;
  for (const name of Object.keys(opened) as ServiceName[]) {
    const service = await start(name);
    await use(service, name);
    await service.stop();
  }
});
afterEach(async () => {
  await running?.stop('SIGKILL');
  repair();
});
afterAll(() => cairn.remove());

async function start(name: ServiceName): Promise<RunningService> {
  running = await startService({ main: services[name], home: cairn.home });
  return running;
}

/** Sends a request that writes or reads the stores of the service. Resolves with the status. */
async function use({ url }: RunningService, name: ServiceName): Promise<number> {
  const json = { 'content-type': 'application/json' };
  if (name === 'storage-api') {
    const body = new FormData();
    body.set('file', new Blob([String(Math.random()).repeat(10_000)]), 'a.txt');
    const headers = { authorization: credentials };
    return (await fetch(`${url}/api/v0/add?to-files=/${Date.now()}`, { method: 'POST', headers, body })).status;
  }
  if (name === 'rpc-gateway') {
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["0x1",true]}';
    return (await fetch(`${url}/v3/ann-key`, { method: 'POST', headers: json, body })).status;
  }
  const body = '{"email":"ann@example.org","password":"a wrong password"}';
  const headers = { ...json, 'x-cairn-console': '1' };
  return (await fetch(`${url}/api/sign-in`, { method: 'POST', headers, body })).status;
}

/** Data files of a store. Limits have one per boot, chains one per network. */
function dataFile(store: string): string {
  const directory = join(cairn.home, store);
  const own = join(directory, 'data.mdb');
  if (existsSync(own)) return own;
  return join(directory, readdirSync(directory)[0] ?? '', 'data.mdb');
}

/**
 * Truncates a file under a service. `repair` restores it. A service trusts a checked file for 10 ms, and a read of its map in this
 * time would end it. So the service is stopped meanwhile: its timer ends before it reads again.
 */
async function truncate(file: string, service: RunningService): Promise<void> {
  service.process.kill('SIGSTOP');
  copyFileSync(file, `${file}.whole`);
  damaged = file;
  truncateSync(file, 8_192);
  await new Promise((resolve) => setTimeout(resolve, 20));
  service.process.kill('SIGCONT');
}

/** Restores the damaged file, also after a test that has failed, so that the next one finds whole stores. */
function repair(): void {
  if (damaged === undefined) return;
  rmSync(damaged);
  copyFileSync(`${damaged}.whole`, damaged);
  rmSync(`${damaged}.whole`);
  damaged = undefined;
}

test.each(cases)('$name refuses $store when its file is truncated', async ({ name, store }) => {
  const service = await start(name);
  const file = dataFile(store);
  await truncate(file, service);
  const answer = await fetch(`${service.url}/readyz`);
  expect(answer.status).toBe(503);
  const { reason } = (await answer.json()) as { reason: string };
  expect(reason).toMatch(new RegExp(`${file} is truncated: it has 8192 bytes instead of \\d+`));
  for (let requests = 0; requests < 5; requests++) await use(service, name);
  expect((await fetch(`${service.url}/livez`)).status).toBe(200);
  expect([service.process.exitCode, service.process.signalCode]).toEqual([null, null]);
  await service.stop();
  expect([service.process.signalCode, service.text()]).toEqual([null, expect.not.stringContaining('SIGBUS')]);

  if (untried.delete(store)) {
    const refusal = await start(name).then(
      () => 'started',
      (error: Error) => error.message,
    );
    expect(refusal).toContain(`${file} is truncated`);
  }
});

test('a service without readiness requests also refuses a truncated store', async () => {
  const service = await start('rpc-gateway');
  const file = dataFile('accounts');
  await truncate(file, service);
  // Background work reads accounts twice a second.
  const deadline = Date.now() + 60_000;
  while ((await use(service, 'rpc-gateway')) !== 500) {
    if (Date.now() > deadline) throw new Error('the truncated store is still used after a minute');
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  expect(service.process.signalCode).toBeNull();
});
