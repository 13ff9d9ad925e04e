import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openChainStore } from '@cairn/chain-store';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { createHome, type Gateway, startGateway } from './gateway.ts';
import { sample, sampleEntry } from './sample-network.ts';

// Two replicas on one chain: one waits long for a block, the other does not wait.
let home: string;
let patient: Gateway;
let hasty: Gateway;
const { name } = sampleEntry;
const networks = [{ ...sampleEntry, hosts: ['*'] }];

beforeAll(async () => {
  home = await createHome();
  patient = await startGateway({ home, networks, env: { CAIRN_RPC_HEAD_WAIT_MS: '60000' } });
  hasty = await startGateway({ home, networks, env: { CAIRN_RPC_HEAD_WAIT_MS: '0' } });
});
afterAll(async () => {
  await Promise.all([patient?.end(), hasty?.end()]);
  await rm(home, { recursive: true, force: true });
});

const ask = async ({ url }: Gateway, seen?: string) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(seen !== undefined && { 'cairn-latest-block': seen }) },
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_blockNumber', params: [] }),
  });
  return {
    status: response.status,
    latest: response.headers.get('cairn-latest-block'),
    retryAfter: response.headers.get('retry-after'),
    body: (await response.json()) as { result?: string; error?: { code: number; message: string } },
  };
};

/** Sets the head of both replicas, as a follower does. */
async function chooseHead(number: bigint): Promise<void> {
  const store = await openChainStore({ directory: join(home, 'chains', name) });
  try {
    const hash = number === 24n ? (sample.head as `0x${string}`) : store.hashByNumber(number);
    if (hash === undefined) throw new Error(`The sample chain has no block ${number}.`);
    await store.setForkChoice({ head: hash });
  } finally {
    await store.close();
  }
}

test('an answer names the newest block if the request does, in either notation', async () => {
  expect(await ask(patient, '0x18')).toMatchObject({ status: 200, latest: '0x18', body: { result: '0x18' } });
  expect(await ask(patient, '0')).toMatchObject({ status: 200, latest: '0x18', body: { result: '0x18' } });
  expect((await ask(patient)).latest).toBeNull();
});

test.each(['-1', '0x', 'latest', '1.5', '0x10000000000000000', '1, 2'])('refuses the block number %s', async (seen) => {
  const { status, body } = await ask(hasty, seen);
  expect([status, body.error?.message]).toEqual([400, expect.stringContaining('Cairn-Latest-Block')]);
});

test('a request is never answered from an older block than the client has seen', async () => {
  await chooseHead(20n);
  const { status, retryAfter, body } = await ask(hasty, '0x18');
  expect([status, retryAfter]).toEqual([503, '1']);
  expect(body.error).toEqual({
    code: -32000,
    message:
      'The network sample has block 20, and block 24 was requested by Cairn-Latest-Block. Send the request again.',
  });
  const waiting = ask(patient, '0x18');
  expect((await ask(patient, '0x14')).body.result).toBe('0x14');
  await chooseHead(24n);
  expect(await waiting).toMatchObject({ status: 200, latest: '0x18', body: { result: '0x18' } });
});
