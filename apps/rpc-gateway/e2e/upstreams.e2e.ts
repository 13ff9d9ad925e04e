import { execFile } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { bytesFromHex, type Hex } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { LmdbContentReader } from '@cairn/proven-state';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type CountingProxy, startCountingProxy } from './counting-proxy.ts';
import { call, conformance, createHome, type Gateway, post, startGateway, until } from './gateway.ts';

// The conformance chain, imported by one gateway, is the upstream of another one, which has no block of its own.
const chain = join(conformance, 'execution-apis');
const isThere = existsSync(join(chain, 'chain.rlp'));
const genesis = join(chain, 'genesis.json');
const imported = { name: 'imported', hosts: ['*'], genesis, blocks: [join(chain, 'chain.rlp')], requireFrom: false };

function methodsRecorded(): string[] {
  const folders = readdirSync(chain, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return folders.map(({ name }) => name).sort();
}

if (!isThere) test.skip(`skipped: no conformance data in ${conformance}`, () => {});

(isThere ? describe : describe.skip)('a network with upstreams', () => {
  let node: Gateway;
  let proxy: CountingProxy;
  let gateway: Gateway;
  const networks = () => [
    { name: 'remote', hosts: ['*'], upstreams: [proxy.url], head: { trusted: true }, genesis, requireFrom: false },
  ];
  beforeAll(async () => {
    node = await startGateway({ networks: [imported] });
    proxy = await startCountingProxy(node.url);
    gateway = await startGateway({ networks: networks() });
  });
  afterAll(async () => {
    await gateway?.stop();
    await proxy?.stop();
    await node?.stop();
  });

  const replay = (...args: readonly string[]) =>
    new Promise<string>((resolve) => {
      const all = ['replay.mjs', '--url', gateway.url, ...args];
      execFile(process.execPath, all, { cwd: conformance }, (_error, stdout, stderr) => resolve(stdout + stderr));
    });

  test.each(isThere ? methodsRecorded() : [])('%s returns the recorded answers', async (method) => {
    expect(await replay('--method', method)).toMatch(/(^|\n)[1-9]\d* passed, 0 failed\n$/);
  });

  test('eth_call follows the recorded rules', async () => {
    expect(await replay('--dir', 'eth-call-rules')).toMatch(/(^|\n)[1-9]\d* passed, 0 failed\n$/);
  });

  test('each answer states how it was verified', async () => {
    const proofOf = async (method: string, params: readonly unknown[]) => {
      const response = await post(gateway.url, JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }));
      return response.headers.get('cairn-proof');
    };
    const to = `0x${'11'.repeat(20)}`;
    expect(await proofOf('eth_getBlockByNumber', ['latest', false])).toBe('proven');
    expect(await proofOf('eth_getBalance', [to, 'latest'])).toBe('proven');
    expect(await proofOf('eth_call', [{ to }, 'latest'])).toBe('executed');
    const batch = ['eth_blockNumber', 'eth_estimateGas'].map((method, id) => ({
      jsonrpc: '2.0',
      id,
      method,
      params: id === 0 ? [] : [{ to }],
    }));
    const response = await post(gateway.url, JSON.stringify(batch));
    expect(response.headers.get('cairn-proof')).toBe('executed, proven');
  });

  test.each([
    ['debug_storageRangeAt', ['0x5', 0, `0x${'11'.repeat(20)}`, '0x', 10]],
    ['debug_getModifiedAccountsByNumber', [5, 6]],
  ])('%s says that it needs an imported network', async (method, params) => {
    const { error } = await call(gateway.url, method, params);
    expect(error).toMatchObject({ code: -32000, message: expect.stringContaining('Use an imported network.') });
  });

  test('a gateway killed with a warm cache needs no proof again', async () => {
    const home = await createHome();
    try {
      const first = await startGateway({ home, networks: networks() });
      const query = [`0x7dcd17433742f4c0ca53122ab541d0ba67fc27df`, 'latest'];
      const before = await call(first.url, 'eth_getBalance', query);
      const called = await call(first.url, 'eth_call', [{ to: query[0] }, 'latest']);
      const { result: proof } = await call(first.url, 'eth_getProof', [query[0], [], 'latest']);
      await cached(home, (proof as { readonly accountProof: readonly Hex[] }).accountProof);
      await first.end('SIGKILL');
      proxy.reset();
      const second = await startGateway({ home, networks: networks() });
      try {
        expect(await call(second.url, 'eth_getBalance', query)).toEqual(before);
        expect(await call(second.url, 'eth_call', [{ to: query[0] }, 'latest'])).toEqual(called);
        expect(proxy.calls.get('eth_getProof')).toBeUndefined();
      } finally {
        await second.stop();
      }
    } finally {
      await rm(home, { recursive: true, force: true });
    }
  });

  test('without an upstream, cached content is served and other reads fail with a clear error', async () => {
    const read = () => call(gateway.url, 'eth_getBlockByNumber', ['latest', true]);
    const known = await read();
    proxy.isDown = true;
    try {
      expect(await read()).toEqual(known);
      const { error } = await call(gateway.url, 'eth_getBalance', [`0x${'99'.repeat(20)}`, '0x5']);
      expect(error).toMatchObject({ code: -32002 });
      expect(error?.message).toContain('No upstream of the network answered');
      expect(error?.message).not.toContain('/v3/');
    } finally {
      proxy.isDown = false;
    }
  });
});

/** Waits until another process can read these trie nodes from the cache of a gateway. */
async function cached(home: string, nodes: readonly Hex[]): Promise<void> {
  const reader = await LmdbContentReader.open({ directory: join(home, 'upstreams', 'remote', 'content') });
  try {
    await until(async () => {
      reader.refresh();
      return nodes.every((node) => reader.find(keccak256(bytesFromHex(node))) !== undefined);
    }, 'the nodes in the cache');
  } finally {
    await reader.close();
  }
}
