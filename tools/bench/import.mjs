import { mkdtempSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { importChain, openChainStore } from '@cairn/chain-store';
import { createBlockRunner as createReferenceRunner } from '@cairn/evm-ethereumjs';
import { createBlockRunner } from '@cairn/evm-executor';
import { report } from './lib/load.mjs';

const sample = fileURLToPath(new URL('../sample-network/network/', import.meta.url));
const rounds = 3;

/**
 * Measures the import of a chain (genesis.json and chain.rlp of a directory). Every block is executed and verified
 * against its roots.
 */
export async function benchImport(options) {
  let best = { rate: 0, gas: 0 };
  for (let round = 0; round < rounds; round++) {
    const found = await importRate({ ...options, runner: createBlockRunner('compiled') });
    if (found.rate > best.rate) best = found;
  }
  report(`import of ${best.gas.toFixed(1)} Mgas, durable`, best.rate, 'Mgas/s');
}

/** Measures the same import with the reference, @ethereumjs/vm. */
export async function compareImports(options) {
  const best = { reference: 0, own: 0, gas: 0 };
  // Both take turns, so that changes in the load of the machine affect both.
  for (let round = 0; round < rounds; round++) {
    best.reference = Math.max(best.reference, (await importRate({ ...options, runner: createReferenceRunner() })).rate);
    const { rate, gas } = await importRate({ ...options, runner: createBlockRunner('compiled') });
    Object.assign(best, { own: Math.max(best.own, rate), gas });
  }
  const { reference, own, gas } = best;
  report(`import of ${gas.toFixed(1)} Mgas, durable`, own * 1000, 'kgas/s', '@ethereumjs/vm', reference * 1000);
}

/** Speed in Mgas/s. */
async function importRate({ home, chain = sample, runner }) {
  const directory = mkdtempSync(`${home}/import-`);
  const store = await openChainStore({ directory });
  const files = [`${chain}/chain.rlp`];
  const start = performance.now();
  await importChain({ store, name: 'bench', genesis: `${chain}/genesis.json`, files, runner });
  const seconds = (performance.now() - start) / 1000;
  let gas = 0;
  for (let number = 1n; number <= store.head.number; number++) {
    const hash = store.hashByNumber(number);
    gas += Number((hash && store.header(hash)?.gasUsed) ?? 0n) / 1e6;
  }
  await store.close();
  rmSync(directory, { recursive: true });
  return { rate: gas / seconds, gas };
}
