import assert from 'node:assert/strict';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { importChain, loadNetworks, openChainStore } from '@cairn/chain-store';
import { makeNetwork } from './make.mjs';

const directory = fileURLToPath(new URL('./network', import.meta.url));

test('the committed network is what its sources make', async () => {
  for (const [name, bytes] of Object.entries(await makeNetwork())) {
    assert.ok(
      readFileSync(join(directory, name)).equals(bytes),
      `${name} differs: run node tools/sample-network/make.mjs and commit`,
    );
  }
});

test('it imports with every root verified, and has every type of transaction', async () => {
  const home = mkdtempSync(join(tmpdir(), 'cairn-sample-'));
  const store = await openChainStore({ directory: home });
  try {
    const [network] = loadNetworks(join(directory, 'networks.json'));
    await importChain({ store, name: network.name, genesis: network.genesis, files: network.blocks });
    const { head } = JSON.parse(readFileSync(join(directory, 'contracts.json'), 'utf8'));
    assert.equal(store.head.hash, head);
    const types = new Set();
    for (let number = 0n; number <= store.head.number; number++) {
      for (const { type } of store.block(store.hashByNumber(number)).transactions) types.add(type);
    }
    assert.deepEqual([...types].sort(), [0, 1, 2, 3, 4]);
  } finally {
    await store.close();
    rmSync(home, { recursive: true });
  }
});
