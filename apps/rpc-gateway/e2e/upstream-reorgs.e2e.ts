import { once } from 'node:events';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { WebSocket } from 'ws';
import { startLyingProxy } from '../../../tools/peers/lying-proxy.mjs';
import { type AnvilNetwork, account, startAnvilNetwork } from './anvil-network.ts';
import { type Answer, call, type Gateway, startGateway, until } from './gateway.ts';
import { sampleEntry } from './sample-network.ts';

interface Block {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly miner: string;
}
const blockAt = async (url: string, height: string) =>
  (await call(url, 'eth_getBlockByNumber', [height, false])).result as Block | null;

describe('a reorg of the upstream', () => {
  let network: AnvilNetwork;
  let anvil: string;
  let url: string;
  beforeAll(async () => {
    network = await startAnvilNetwork();
    [anvil, url] = [network.anvil.url, network.gateway.url];
    await call(anvil, 'anvil_mine', ['0x80']);
    await follows();
  });
  afterAll(() => network?.stop());

  const follows = () =>
    until(
      async () => (await blockAt(url, 'latest'))?.hash === (await blockAt(anvil, 'latest'))?.hash,
      'the head of the upstream',
    );

  test.each([1, 100])('of %i blocks during calls, filters and subscriptions gives no wrong answer', async (depth) => {
    const socket = new WebSocket(network.gateway.webSocketUrl);
    const heads: Block[] = [];
    socket.on('message', (data) => {
      const { method, params } = JSON.parse(String(data));
      if (method === 'eth_subscription') heads.push(params.result);
    });
    await once(socket, 'open');
    socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newHeads'] }));
    const filter = (await call(url, 'eth_newBlockFilter')).result;
    const old = (await blockAt(url, 'latest')) as Block;
    const balance = (await call(url, 'eth_getBalance', [account.address, old.hash])).result;

    // Requests that run during the reorg.
    let isOver = false;
    const answers: { readonly block: Block | null; readonly balance: Answer; readonly called: Answer }[] = [];
    const requests = (async () => {
      while (!isOver) {
        const [block, own, called] = await Promise.all([
          blockAt(url, 'latest'),
          call(url, 'eth_getBalance', [account.address, 'latest']),
          call(url, 'eth_call', [{ to: account.address }, 'latest']),
        ]);
        answers.push({ block, balance: own, called });
      }
    })();
    // The new branch has one block more, whose balance differs.
    await call(anvil, 'anvil_reorg', [depth, []]);
    const next = `0x${depth.toString(16).padStart(10, '0')}`;
    await call(anvil, 'anvil_setBalance', [account.address, next]);
    await call(anvil, 'anvil_mine', ['0x1']);
    await follows();
    isOver = true;
    await requests;

    const known = new Set<unknown>([balance]);
    const final = (await blockAt(anvil, 'latest')) as Block;
    known.add((await call(anvil, 'eth_getBalance', [account.address, 'latest'])).result);
    expect((await call(url, 'eth_getBalance', [account.address, 'latest'])).result).toBe(`0x${depth.toString(16)}`);
    for (const answer of answers) {
      // A state that the upstream dropped is an error, and never the state of the other branch.
      if (answer.balance.error === undefined) expect(known).toContain(answer.balance.result);
      else expect(answer.balance.error.code).toBeLessThan(-31_999);
      if (answer.called.error === undefined) expect(answer.called.result).toBe('0x');
    }
    expect(answers.length).toBeGreaterThan(0);

    // The old branch answers by hash as before, or with a clear error.
    for (const method of ['eth_getBalance', 'eth_getTransactionCount'] as const) {
      const { result, error } = await call(url, method, [account.address, old.hash]);
      if (error === undefined && method === 'eth_getBalance') expect(result).toBe(balance);
      else if (error !== undefined) expect(error.message).toMatch(/\S{3,}/);
    }
    await until(async () => heads.at(-1)?.hash === final.hash, 'the head of the subscription');
    // Each reported head extends one that was reported, or a block below the reorg.
    const branch = heads.slice(
      heads.findLastIndex(({ number }, index) => Number(heads[index - 1]?.number ?? 0) >= Number(number)),
    );
    for (const [index, head] of branch.entries()) if (index > 0) expect(head.parentHash).toBe(branch[index - 1]?.hash);
    const changes = (await call(url, 'eth_getFilterChanges', [filter])).result as string[];
    expect(changes.at(-1)).toBe(final.hash);
    socket.terminate();
  });
});

describe('a quorum of two among three upstreams', () => {
  let node: Gateway;
  let gateway: Gateway;
  const proxies: Awaited<ReturnType<typeof startLyingProxy>>[] = [];
  /** Height that the third upstream claims; `undefined` for the true one. */
  let claim: { number?: string; hash?: string } = {};
  const height = 24;
  beforeAll(async () => {
    node = await startGateway({ networks: [{ ...sampleEntry, hosts: ['*'] }] });
    const third = async (method: string, params: readonly unknown[]) => {
      if (method === 'eth_getBlockByNumber' && params[0] === 'latest' && claim.number !== undefined) {
        const block = (await call(node.url, method, [claim.hash === undefined ? claim.number : 'latest', params[1]]))
          .result;
        return { ...(block as object), ...(claim.hash !== undefined && claim) };
      }
      return (await call(node.url, method, params)).result;
    };
    for (const upstream of [node.url, node.url, third]) proxies.push(await startLyingProxy({ upstream }));
    const { name, genesis } = sampleEntry;
    const upstreams = proxies.map(({ url }) => url);
    gateway = await startGateway({ networks: [{ name, genesis, hosts: ['*'], upstreams, head: { quorum: 2 } }] });
  });
  afterAll(async () => {
    await gateway?.stop();
    for (const proxy of proxies) await proxy.stop();
    await node?.stop();
  });

  test.each([
    ['lags', { number: '0x4' }],
    ['claims a block that does not exist', { number: '0x19', hash: `0x${'ab'.repeat(32)}` }],
    ['claims another block of the same height', { number: '0x18', hash: `0x${'ab'.repeat(32)}` }],
    ['claims a height far ahead', { number: '0xffffff', hash: `0x${'cd'.repeat(32)}` }],
  ])('serves the head of the two others while one %s', async (_name, made) => {
    claim = made;
    const third = proxies[2];
    const before = third?.requests ?? 0;
    await until(async () => (third?.requests ?? 0) > before + 2, 'polls of the third upstream').catch(() => {});
    const block = await blockAt(gateway.url, 'latest');
    expect(Number(block?.number)).toBe(height);
    expect(block?.hash).toBe((await blockAt(node.url, 'latest'))?.hash);
    claim = {};
  });
});
