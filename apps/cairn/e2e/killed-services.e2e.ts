// Kills gateways and consoles at any moment: during the import of a chain, and during writes of the ledger and of
// accounts. Acknowledged writes stay, and the next start resumes.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { Auth, openLmdbAccountStore } from '@cairn/auth';
import { openLmdbUsageStore } from '@cairn/metering';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { services } from '../src/workspace.ts';
import { Cairn } from './cairn.ts';

const cairn = new Cairn();
const directory = join(cairn.home, 'accounts');
/** Seed of the run: printed with a failure, and settable for a repetition. */
const seed = Number(process.env.CAIRN_TEST_SEED ?? 17);
let state = seed;
let accountId: string;
beforeAll(async () => {
  const auth = new Auth({ store: await openLmdbAccountStore({ directory }) });
  accountId = (await auth.createAccount({ name: 'ann', plan: 'local' })).id;
  await auth.createKey('ann', { id: 'ann-key' });
  await auth.close();
});
afterAll(() => cairn.remove());

function random(below: number): number {
  state = (state * 1_103_515_245 + 12_345) % 2_147_483_648;
  return state % below;
}
const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

const call = (url: string) =>
  fetch(`${url}/v3/ann-key`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"eth_getBlockByNumber","params":["latest",false]}',
  });

async function counted(): Promise<number> {
  const usage = await openLmdbUsageStore({ directory });
  let requests = 0;
  for await (const row of usage.rows(accountId, { from: 0, to: Date.now() + 86_400_000 }, 'day'))
    requests += row.requests;
  await usage.close();
  return requests;
}

test('a gateway that is killed during import and counting restarts with its chain', async () => {
  let sent = 0;
  for (let round = 0; round < 3; round++) {
    // The gateway imports its network after its start; the first kills happen within that time.
    const env = { PATH: process.env.PATH, CAIRN_HOME: cairn.home, RPC_GATEWAY_PORT: '0' };
    const starting = spawn(process.execPath, [services['rpc-gateway']], { env, stdio: 'ignore' });
    await pause(800 + random(1_500));
    starting.kill('SIGKILL');
    const service: RunningService = await startService({ main: services['rpc-gateway'], home: cairn.home });
    for (let asked = 0; asked < 20; asked++) {
      const answer = await call(service.url);
      expect(await answer.json()).toMatchObject({ result: { number: '0x18' } });
      sent++;
    }
    await pause(random(800));
    await service.stop('SIGKILL');
    // Each request is counted at most once; requests of the last half second may be lost.
    expect(await counted()).toBeLessThanOrEqual(sent);
  }
  const before = await counted();
  const last = await startService({ main: services['rpc-gateway'], home: cairn.home });
  for (let asked = 0; asked < 10; asked++) expect((await call(last.url)).status).toBe(200);
  await last.stop();
  expect(await counted()).toBe(before + 10);
});

test('accounts that a console created survive kill -9', async () => {
  const made: string[] = [];
  for (let round = 0; round < 3; round++) {
    const service = await startService({ main: services.console, home: cairn.home });
    const signUps = Array.from({ length: 6 }, async (_, index) => {
      const name = `member-${round}-${index}`;
      const answer = await fetch(`${service.url}/api/sign-up`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-cairn-console': '1' },
        body: JSON.stringify({ email: `${name}@example.org`, password: 'four words in a row', accountName: name }),
      });
      if (answer.status < 300) made.push(name);
    });
    setTimeout(() => service.process.kill('SIGKILL'), 300 + random(1_500));
    await Promise.allSettled(signUps);
    await service.stop('SIGKILL');
  }
  const store = await openLmdbAccountStore({ directory });
  for (const name of made) {
    const account = await store.accountByName(name);
    const member = await store.members.byEmail(`${name}@example.org`);
    expect(member?.accountId).toBe(account?.id);
  }
  // Both or neither exist, also after requests without an answer.
  for await (const { id, name } of store.accounts())
    if (name.startsWith('member-')) expect((await store.members.byEmail(`${name}@example.org`))?.accountId).toBe(id);
  await store.close();
});
