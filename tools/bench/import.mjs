import { mkdtempSync, rmSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { importChain, openChainStore } from '@cairn/chain-store';
import { report } from './lib/load.mjs';

const sample = fileURLToPath(new URL('../sample-network/network/', import.meta.url));
const rounds = 3;

/** Import of a chain (genesis.json and chain.rlp of a directory), every block executed and held to its roots. */
export async function benchImport({ home, chain = sample }) {
  let best = 0;
  let gas = 0n;
  for (let round = 0; round < rounds; round++) {
    const directory = mkdtempSync(`${home}/import-`);
    const store = await openChainStore({ directory });
    const start = performance.now();
    await importChain({ store, name: 'bench', genesis: `${chain}/genesis.json`, files: [`${chain}/chain.rlp`] });
    const seconds = (performance.now() - start) / 1000;
    gas = 0n;
    for (let number = 1n; number <= store.head.number; number++) {
      const hash = store.hashByNumber(number);
      gas += (hash && store.header(hash)?.gasUsed) ?? 0n;
    }
    best = Math.max(best, Number(gas) / 1e6 / seconds);
    await store.close();
    rmSync(directory, { recursive: true });
  }
  report(`import of ${(Number(gas) / 1e6).toFixed(1)} Mgas, durable`, best, 'Mgas/s');
}
