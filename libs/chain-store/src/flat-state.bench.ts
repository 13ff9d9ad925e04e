// Measures import, and reads of state in the flat tables compared with the storage trie, on a made chain.
//   npm run bench
import { bytesFromHex, keccak256 } from '@cairn/block-model';
import { type MadeChain, makeChain, type Step, slotCount, temporaryDirectory, word } from './chain.fixture.ts';
import { type ChainStore, openChainStore } from './index.ts';
import { importChain } from './reference-import.fixture.ts';
import { TrieNodes } from './trie-nodes.ts';

const blockCount = 300;
const readsPerRound = 20_000;
const rounds = 5;

const writes = (number: number): Step[] =>
  Array.from({ length: 4 }, (_, index) => ({
    kind: 'write',
    child: index % 2,
    slot: index % slotCount,
    value: number + index,
  }));

async function bench(chain: MadeChain, directory: ReturnType<typeof temporaryDirectory>): Promise<void> {
  const store = await openChainStore({ directory: `${directory.path}/store` });
  try {
    const genesis = directory.write('genesis.json', chain.genesis);
    const files = [directory.write('chain.rlp', Buffer.concat(chain.blocks))];
    let total = 0n;
    const start = performance.now();
    await importChain({
      store,
      name: 'made',
      genesis,
      files,
      onProgress: ({ gas }) => {
        total = gas;
      },
    });
    const seconds = (performance.now() - start) / 1_000;
    console.log(
      `import: ${Math.round(blockCount / seconds)} blocks/s, ${(Number(total) / 1e6 / seconds).toFixed(1)} Mgas/s`,
    );
    const child = bytesFromHex(chain.addresses.at(-1) ?? '0x');
    await measureReads(store, child);
  } finally {
    await store.close();
  }
}

/** Measures reads at heights across the whole chain. Each read uses a new reader, so nothing is cached. */
async function measureReads(store: ChainStore, address: Uint8Array): Promise<void> {
  const hashes = Array.from({ length: blockCount - 1 }, (_, height) => store.hashByNumber(BigInt(height + 2)) ?? '0x');
  const flat: number[] = [];
  const trie: number[] = [];
  for (let round = 0; round < rounds; round++) {
    flat.push(
      await rate(async (index) => {
        store.stateAt(hashes[index % hashes.length] ?? '0x')?.getStorage(address, word(index % slotCount));
      }),
    );
    trie.push(
      await rate(async (index) => {
        const root = store.header(hashes[index % hashes.length] ?? '0x')?.stateRoot ?? '0x';
        new TrieNodes(store.tables.nodes).trie(bytesFromHex(root)).get(keccak256(address));
      }),
    );
  }
  console.log(`a slot at any height, flat: ${flat.slice(1).join(', ')} reads/s`);
  console.log(`its account alone, by trie: ${trie.slice(1).join(', ')} reads/s`);
}

async function rate(read: (index: number) => Promise<void>): Promise<number> {
  const start = performance.now();
  for (let index = 0; index < readsPerRound; index++) await read(index);
  return Math.round((readsPerRound / (performance.now() - start)) * 1_000);
}

const directory = temporaryDirectory();
try {
  const create: Step[] = [
    { kind: 'create', child: 0 },
    { kind: 'create', child: 1 },
  ];
  await bench(
    await makeChain(Array.from({ length: blockCount }, (_, index) => (index === 0 ? create : writes(index)))),
    directory,
  );
} finally {
  directory.remove();
}
