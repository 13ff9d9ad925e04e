import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { importChain, openChainStore } from '@cairn/chain-store';
import { createBlockRunner, createEngine, executeCall, parseCallRequest } from '@cairn/evm-executor';
import { report } from '../lib/load.mjs';

const network = fileURLToPath(new URL('../../sample-network/network/', import.meta.url));
const { accounts, contracts } = JSON.parse(readFileSync(join(network, 'contracts.json'), 'utf8'));
const rounds = 5;

/**
 * Measures balanceOf of an ERC-20 in one process, each call for another holder, on a chain on disk: the minimum cost of
 * a light request.
 */
export async function benchLightCalls() {
  const directory = mkdtempSync(join(tmpdir(), 'cairn-calls-'));
  const store = await openChainStore({ directory });
  try {
    const files = [`${network}/chain.rlp`];
    await importChain({ store, name: 'bench', genesis: `${network}/genesis.json`, files, runner: createBlockRunner() });
    const { hash } = store.head;
    const place = {
      spec: store.spec,
      header: store.header(hash),
      state: store.stateAt(hash),
      blockHashes: () => undefined,
    };
    let holder = 0;
    const rateOf = async (engine, count) => {
      const calls = Array.from({ length: count }, () => {
        const data = `0x70a08231${'0'.repeat(24)}${(++holder).toString(16).padStart(40, '7')}`;
        return parseCallRequest({ from: accounts.alice, to: contracts.Token.address, data });
      });
      const start = performance.now();
      for (const call of calls) {
        const { kind } = await executeCall({ ...place, call, engine });
        if (kind !== 'success') throw new Error(`balanceOf: ${kind}`);
      }
      return count / ((performance.now() - start) / 1000);
    };
    const [peer, own] = ['ethereumjs', 'compiled'].map((name) => ({ engine: createEngine(name), rate: 0 }));
    for (let round = 0; round < rounds; round++) {
      peer.rate = Math.max(peer.rate, await rateOf(peer.engine, 2_000));
      own.rate = Math.max(own.rate, await rateOf(own.engine, 40_000));
    }
    report('balanceOf in process, distinct holders', own.rate, '/s', '@ethereumjs', peer.rate);
  } finally {
    await store.close();
    rmSync(directory, { recursive: true });
  }
}
