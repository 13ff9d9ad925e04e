#!/usr/bin/env node
// node empty-blocks.mjs [--blocks 8192] [--rounds 3]: blocks and CPU time of the durable import of a chain of empty blocks, whose
// cost is that of headers, hashes and table entries. The first round includes the compilation of the JavaScript.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { encodeBlock, hexFromBytes, makeHeader, nextBaseFee } from '@cairn/block-model';
import { importChain, openChainStore } from '@cairn/chain-store';
import { createBlockRunner } from '@cairn/evm-executor';
import { emptyTrieRoot } from '@cairn/trie';
import { report } from './lib/load.mjs';

const { values } = parseArgs({
  options: { blocks: { type: 'string', default: '8192' }, rounds: { type: 'string', default: '3' } },
});
const count = Number(values.blocks);
const directory = mkdtempSync(join(tmpdir(), 'cairn-empty-'));
const genesis = join(directory, 'genesis.json');
const file = join(directory, 'chain.rlp');
const forks =
  'homestead eip150 eip155 eip158 byzantium constantinople petersburg istanbul muirGlacier berlin london mergeNetsplit';
writeFileSync(
  genesis,
  JSON.stringify({
    config: {
      chainId: 4242,
      ...Object.fromEntries(forks.split(' ').map((fork) => [`${fork}Block`, 0])),
      terminalTotalDifficulty: 0,
      terminalTotalDifficultyPassed: true,
      shanghaiTime: 0,
    },
    nonce: '0x0',
    timestamp: '0x0',
    extraData: '0x',
    gasLimit: '0x1c9c380',
    difficulty: '0x0',
    mixHash: `0x${'00'.repeat(32)}`,
    coinbase: `0x${'00'.repeat(20)}`,
    baseFeePerGas: '0x3b9aca00',
    alloc: { [`0x${'a0'.repeat(20)}`]: { balance: '0x1' } },
  }),
);

/** Opens a new store with the genesis, and passes it to `work`. */
async function withStore(name, work) {
  const store = await openChainStore({ directory: join(directory, name) });
  try {
    return await work(store);
  } finally {
    await store.close();
  }
}

const importFiles = (store, files) =>
  importChain({ store, name: 'empty', genesis, files, runner: createBlockRunner('compiled') });

function chainAfter(first) {
  const blocks = [];
  const root = hexFromBytes(emptyTrieRoot);
  for (let parent = first; blocks.length < count; ) {
    const header = makeHeader({
      ...parent,
      parentHash: parent.hash,
      number: parent.number + 1n,
      timestamp: parent.timestamp + 12n,
      baseFeePerGas: nextBaseFee(parent),
      withdrawalsRoot: root,
    });
    blocks.push(encodeBlock({ header, transactions: [], uncles: [], withdrawals: [] }));
    parent = header;
  }
  return Buffer.concat(blocks);
}

try {
  await withStore('maker', async (store) => {
    await importFiles(store, []);
    writeFileSync(file, chainAfter(store.header(store.head.hash)));
  });
  for (let round = 1; round <= Number(values.rounds); round++)
    await withStore(`round-${round}`, async (store) => {
      const cpu = process.cpuUsage();
      const start = performance.now();
      const imported = await importFiles(store, [file]);
      const seconds = (performance.now() - start) / 1000;
      const { user, system } = process.cpuUsage(cpu);
      if (imported !== count) throw new Error(`The import executed ${imported} of ${count} blocks.`);
      report(`import of ${count} empty blocks, durable`, count / seconds, 'blocks/s');
      report('CPU time', (user + system) / count, 'µs a block');
    });
} finally {
  rmSync(directory, { recursive: true });
}
