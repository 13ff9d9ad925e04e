import { type AccountChange, bytesFromHex, hexFromBytes } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { Trie, type TrieNodeStore } from '@cairn/trie';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type MadeChain, makeChain, slotCount, temporaryDirectory, word } from './chain.fixture.ts';
import type { ChainStore } from './chain-store.ts';
import { openChainStore } from './index.ts';
import { importChain } from './reference-import.fixture.ts';

const child = 3; // Index of a child contract in the watched addresses.

describe('ranges of states', () => {
  const directory = temporaryDirectory();
  let chain: MadeChain;
  let store: ChainStore;
  const hashAt = (height: number) => chain.hashes[height - 1] ?? store.genesisHash;
  const address = () => bytesFromHex(chain.addresses[child] ?? '0x');

  beforeAll(async () => {
    chain = await makeChain([
      [{ kind: 'create', child: 0 }],
      [0, 1, 2].map((slot) => ({ kind: 'write' as const, child: 0, slot, value: slot + 1 })),
      [{ kind: 'write', child: 0, slot: 1, value: 0 }],
      [{ kind: 'destroy', child: 0 }],
    ]);
    store = await openChainStore({ directory: `${directory.path}/store` });
    const files = [directory.write('chain.rlp', Buffer.concat(chain.blocks))];
    await importChain({ store, name: 'made', genesis: directory.write('genesis.json', chain.genesis), files });
  });
  afterAll(async () => {
    await store.close();
    directory.remove();
  });

  /** Returns the slots of the child after a block, ordered by their hashes. */
  const expected = (height: number) =>
    Array.from({ length: slotCount }, (_, slot) => ({
      hash: hexFromBytes(keccak256(word(slot))),
      slot: hexFromBytes(word(slot)),
      value: chain.history[height]?.[child]?.slots[slot] ?? '0x',
    }))
      .filter(({ value }) => value !== '0x')
      .sort((a, b) => (a.hash < b.hash ? -1 : 1));

  const ranged = (height: number, start: Uint8Array, limit: number) => {
    const range = store.storageRange(hashAt(height), address(), { start, limit });
    return {
      isEmpty: range?.isEmpty,
      next: range?.next && hexFromBytes(range.next),
      entries: range?.entries.map(({ hash, slot, value }) => ({
        hash: hexFromBytes(hash),
        slot: slot && hexFromBytes(slot),
        value: hexFromBytes(value),
      })),
    };
  };

  test('storageRange returns slots ordered by their hashes, with the slot of each hash, at any height', () => {
    for (const height of [2, 3]) {
      const found = ranged(height, new Uint8Array(0), 10);
      expect(found).toEqual({ isEmpty: false, next: undefined, entries: expected(height) });
      expect(found.entries?.length).toBe(height === 2 ? 3 : 2);
    }
  });

  test('storageRange resumes at `next` of the last range', () => {
    const [first, second, third] = expected(2);
    const start = ranged(2, new Uint8Array(0), 1);
    expect(start).toEqual({ isEmpty: false, next: second?.hash, entries: [first] });
    expect(ranged(2, bytesFromHex(second?.hash ?? '0x'), 5).entries).toEqual([second, third]);
    expect(ranged(2, bytesFromHex(second?.hash ?? '0x').subarray(0, 1), 5).entries).toContainEqual(third);
    expect(ranged(2, Buffer.alloc(32, 0xff), 5)).toEqual({ isEmpty: false, next: undefined, entries: [] });
    expect(ranged(2, new Uint8Array(0), 0)).toEqual({ isEmpty: false, next: first?.hash, entries: [] });
  });

  test('storageRange is empty for an account that does not exist', () => {
    for (const height of [0, 4])
      expect(ranged(height, new Uint8Array(0), 5)).toMatchObject({ isEmpty: true, entries: [] });
    expect(
      store.storageRange(`0x${'00'.repeat(32)}`, address(), { start: new Uint8Array(0), limit: 1 }),
    ).toBeUndefined();
  });

  test('modifiedAccounts returns accounts that blocks created or changed, without deleted ones', () => {
    const changed = (from: number, to: number) =>
      chain.addresses
        .filter((_, at) => {
          const [before, after] = [chain.history[from]?.[at], chain.history[to]?.[at]];
          return after?.account !== undefined && JSON.stringify(before, text) !== JSON.stringify(after, text);
        })
        .sort();
    for (const [from, to] of [
      [0, 1],
      [0, 4],
      [2, 3],
      [3, 4],
    ] as const) {
      const found = store.modifiedAccounts(hashAt(from), hashAt(to))?.map(hexFromBytes) ?? [];
      const hashes = found.map((each) => hexFromBytes(keccak256(bytesFromHex(each))));
      expect(hashes).toEqual([...hashes].sort());
      // Other accounts also change, such as the account that children pay.
      expect(found.filter((each) => chain.addresses.includes(each)).sort()).toEqual(changed(from, to));
    }
  });

  test('witnessNodes returns exactly the nodes from which the next root can be computed', async () => {
    const parent = store.header(hashAt(2));
    const state = store.stateAt(hashAt(2));
    const next = store.stateAt(hashAt(3));
    if (!parent || !state || !next) throw new Error('no state');
    const reads = new Map(chain.addresses.map((each) => [each, new Set([hexFromBytes(word(1))])]));
    const changes: AccountChange[] = [...reads.keys()].map((each) => ({
      address: bytesFromHex(each),
      account: next.getAccount(bytesFromHex(each)),
      isStorageCleared: false,
      slots: each === chain.addresses[child] ? [[word(1), next.getStorage(address(), word(1))]] : [],
    }));
    const nodes = (await store.witnessNodes(parent.hash, { reads, changes })) ?? [];
    const byHash = new Map(nodes.map((node) => [hexFromBytes(keccak256(node)), node]));
    const source: TrieNodeStore = {
      load(hash) {
        const node = byHash.get(hexFromBytes(hash));
        if (node === undefined) throw new Error(`${hexFromBytes(hash)} is missing`);
        used.add(hexFromBytes(hash));
        return node;
      },
      save: (hash, node) => byHash.set(hexFromBytes(hash), node),
    };
    const used = new Set<string>();
    const trie = new Trie(source, bytesFromHex(parent.stateRoot));
    for (const each of reads.keys()) trie.get(keccak256(bytesFromHex(each)));
    const storage = new Trie(source, state.record(address())?.state?.storageRoot ?? new Uint8Array(32));
    storage.remove(keccak256(word(1)));
    expect(hexFromBytes(storage.root())).toBe(
      hexFromBytes(next.record(address())?.state?.storageRoot ?? new Uint8Array(0)),
    );
    expect(nodes.map((node) => hexFromBytes(keccak256(node))).filter((name) => !used.has(name))).toEqual([]);
  });
});

const text = (_: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
