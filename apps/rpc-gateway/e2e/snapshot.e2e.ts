import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openChainStore, restoreSnapshot, writeSnapshot } from '@cairn/chain-store';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { call, conformance, createHome, startGateway, until } from './gateway.ts';
import { sample, sampleEntry } from './sample-network.ts';

// Gateways that serve a chain from a snapshot, which was written while another gateway served the chain.
let homes: { readonly source: string; readonly target: string };
beforeEach(async () => {
  homes = { source: await createHome(), target: await createHome() };
});
afterEach(async () => {
  for (const home of Object.values(homes)) await rm(home, { recursive: true, force: true });
});

/** Copies the chain of a network from one home to the other. */
async function copyChain({ name, genesis }: { readonly name: string; readonly genesis: string }): Promise<void> {
  const file = join(homes.source, 'chain.car');
  const store = await openChainStore({ directory: join(homes.source, 'chains', name) });
  try {
    const { head } = await writeSnapshot({ store, network: name, file });
    const directory = join(homes.target, 'chains', name);
    await restoreSnapshot({ file, directory, network: { name, genesis }, head: head.hash });
  } finally {
    await store.close();
  }
}

const chain = join(conformance, 'execution-apis');
const conformanceTest = existsSync(join(chain, 'chain.rlp')) ? test : test.skip;

conformanceTest('a gateway with a restored chain passes all recorded exchanges without block files', async () => {
  const entry = { name: 'execution-apis', hosts: ['*'], genesis: join(chain, 'genesis.json'), requireFrom: false };
  const imported = { ...entry, blocks: [join(chain, 'chain.rlp')] };
  const original = await startGateway({ home: homes.source, networks: [imported] });
  try {
    await copyChain(entry);
  } finally {
    await original.stop();
  }
  const gateway = await startGateway({ home: homes.target, networks: [entry] });
  try {
    for (const args of [[], ['--dir', 'eth-call-rules']]) {
      const printed = await new Promise<string>((resolve) => {
        const all = ['replay.mjs', '--url', gateway.url, ...args];
        execFile(process.execPath, all, { cwd: conformance }, (_error, stdout, stderr) => resolve(stdout + stderr));
      });
      expect(printed).toMatch(/(^|\n)[1-9]\d* passed, 0 failed\n$/);
    }
  } finally {
    await gateway.stop();
  }
});

test('a follower continues from a restored chain, also on another branch', async () => {
  const { name, genesis } = sampleEntry;
  const upstream = await startGateway({ home: homes.source, networks: [{ ...sampleEntry, hosts: ['*'] }] });
  const headOf = async (url: string) =>
    ((await call(url, 'eth_getBlockByNumber', ['latest', false])).result as { readonly hash: `0x${string}` }).hash;
  const store = await openChainStore({ directory: join(homes.source, 'chains', name) });
  try {
    await until(async () => (await headOf(upstream.url)) === sample.head, 'the imported head');
    await store.setForkChoice({ head: store.hashByNumber(20n) ?? '0x' });
    await copyChain(sampleEntry);
    await store.setForkChoice({ head: sample.head as `0x${string}` });
    const source = { rpc: upstream.url };
    const follower = await startGateway({ home: homes.target, networks: [{ name, genesis, hosts: ['*'], source }] });
    try {
      await until(async () => (await headOf(follower.url)) === sample.head, 'the head of the source');
      const params = [sample.accounts.alice, 'latest'];
      for (const method of ['eth_getBalance', 'eth_getTransactionCount'])
        expect(await call(follower.url, method, params)).toEqual(await call(upstream.url, method, params));
      const earlier = store.hashByNumber(18n) ?? '0x';
      await store.setForkChoice({ head: earlier });
      await until(async () => (await headOf(follower.url)) === earlier, 'the earlier head');
    } finally {
      await follower.stop();
    }
  } finally {
    await store.close();
    await upstream.stop();
  }
});
