import { bytesFromHex, encodeRlp, type Hex, transactionsRoot } from '@cairn/block-model';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type MadeChain, makeChain, temporaryDirectory } from './chain.fixture.ts';
import { type ChainStore, openChainStore } from './index.ts';
import { importChain } from './reference-import.fixture.ts';
import { heightKey } from './tables.ts';

let chain: MadeChain;
let directory: ReturnType<typeof temporaryDirectory>;
let store: ChainStore;

beforeAll(async () => {
  chain = await makeChain([[{ kind: 'create', child: 0 }], [{ kind: 'write', child: 0, slot: 1, value: 5 }], []]);
});
beforeEach(async () => {
  directory = temporaryDirectory();
  store = await openChainStore({ directory: `${directory.path}/store` });
});
afterEach(async () => {
  await store.close();
  directory.remove();
});

async function fill(): Promise<[Hex, Hex, Hex]> {
  const genesis = directory.write('genesis.json', chain.genesis);
  const files = [directory.write('chain.rlp', Buffer.concat(chain.blocks))];
  await importChain({ store, name: 'made', genesis, files });
  return chain.hashes as [Hex, Hex, Hex];
}

const absent: Hex = `0x${'ab'.repeat(32)}`;

describe('ChainStore', () => {
  test('is empty before its genesis', () => {
    expect(store.headOrNone).toBeUndefined();
    expect(store.spec).toBeUndefined();
    expect(() => store.head).toThrow(/latest/);
    expect(store.hashByNumber(0n)).toBeUndefined();
  });

  test('finds blocks by hash, height and tag, and returns undefined for unknown ones', async () => {
    const [first, , last] = await fill();
    expect(store.chainId).toBe(4242n);
    expect(store.blockByTag('earliest')).toEqual({ hash: store.genesisHash, number: 0n });
    for (const tag of ['latest', 'pending', 'safe', 'finalized'] as const)
      expect(store.blockByTag(tag)).toEqual({ hash: last, number: 3n });
    expect(store.hashByNumber(1n)).toBe(first);
    for (const number of [-1n, 4n, 2n ** 64n, 2n ** 80n]) expect(store.hashByNumber(number)).toBeUndefined();
    const block = store.block(first);
    expect(block?.header.number).toBe(1n);
    expect(block?.transactions).toHaveLength(1);
    expect(transactionsRoot(block?.transactions ?? [])).toBe(block?.header.transactionsRoot);
    expect(block?.size).toBe(chain.blocks[0]?.length);
    expect(store.block(store.genesisHash)?.transactions).toEqual([]);
    expect(store.totalDifficulty(first)).toBe(0n);
    expect(store.isCanonical(first)).toBe(true);
    for (const read of [
      store.header(absent),
      store.block(absent),
      store.stateAt(absent),
      store.totalDifficulty(absent),
    ])
      expect(read).toBeUndefined();
    expect(store.isCanonical(absent)).toBe(false);
  });

  test('an open reader sees the blocks that another handle imports', async () => {
    const reader = await openChainStore({ directory: store.directory });
    expect(reader.headOrNone).toBeUndefined();
    await fill();
    expect(reader.head.number).toBe(3n);
    await reader.close();
  });

  test('stateAt returns the same values while the chain grows', async () => {
    const genesis = directory.write('genesis.json', chain.genesis);
    const files = chain.blocks.map((block, index) => directory.write(`${index}.rlp`, block));
    await importChain({ store, name: 'made', genesis, files: files.slice(0, 1) });
    const state = store.stateAt(store.head.hash);
    await importChain({ store, name: 'made', genesis, files });
    const [sender = '0x'] = chain.addresses;
    expect(state?.getAccount(bytesFromHex(sender))?.nonce).toBe(1n);
    expect(store.stateAt(store.head.hash)?.getAccount(bytesFromHex(sender))?.nonce).toBe(2n);
  });

  const { stringContaining } = expect;
  test.each([
    ['a header of another block', 'headers', (from: ChainStore, hash: Hex) => from.header(hash)?.raw, 'hash'],
    ['a header that does not decode', 'headers', () => Uint8Array.of(0xc1), 'encoding'],
    ['a body of another block', 'bodies', () => encodeRlp([[], [], []]), 'transactionsRoot'],
    ['a body without withdrawals', 'bodies', () => encodeRlp([[], []]), ''],
    ['a body that does not decode', 'bodies', () => Uint8Array.of(1, 2, 3), 'encoding'],
  ] as const)('%s on disk results in BLOCK_CORRUPT with the block', async (_name, table, planted, field) => {
    const [first, second] = await fill();
    const bytes = planted(store, second);
    if (!bytes) throw new Error('nothing to plant');
    await store.tables.environment.transaction(() => store.tables[table].put(bytesFromHex(first), bytes));
    expect(() => store.block(first)).toThrow(
      expect.objectContaining({ code: 'BLOCK_CORRUPT', message: stringContaining(first) }),
    );
    expect(() => store.block(first)).toThrow(field);
    expect(store.block(second)?.header.hash).toBe(second);
  });

  test('a missing body is reported as corruption, not as an absent block', async () => {
    const [first] = await fill();
    await store.tables.environment.transaction(() => store.tables.bodies.remove(bytesFromHex(first)));
    expect(() => store.block(first)).toThrow(expect.objectContaining({ code: 'BLOCK_CORRUPT' }));
  });

  test('stateAt is undefined for a block of a branch whose changes are no longer stored', async () => {
    const [first] = await fill();
    await store.tables.environment.transaction(() => {
      store.tables.canonical.put(heightKey(1n), bytesFromHex(absent));
      store.tables.changes.remove(bytesFromHex(first));
    });
    expect(store.isCanonical(first)).toBe(false);
    expect(store.stateAt(first)).toBeUndefined();
  });

  test('a closed store fails with an error that says so', async () => {
    await fill();
    await store.close();
    expect(() => store.head).toThrow(expect.objectContaining({ code: 'STORE_CLOSED' }));
  });
});
