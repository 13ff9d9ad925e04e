import { createMemoryBlockstore } from '@cairn/blockstore';
import { type CID, cidFor } from '@cairn/cid';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { importer } from 'ipfs-unixfs-importer';
import {
  decodePbNode,
  encodePbNode,
  encodeUnixfsData,
  findEntry,
  importDirectory,
  importFile,
  listDirectory,
  type PbLink,
  readNode,
  resolvePath,
} from './index.ts';
import { murmur3x64 } from './murmur3.ts';
import { bitfieldOf, hashOfName, positionOf, positionPrefix, shardHashCode } from './shard.ts';

const leaf = cidFor(Buffer.from('x'), { codec: 'raw' });
const entriesOf = (names: readonly string[]): PbLink[] => names.map((name) => ({ cid: leaf, name, tsize: 1 }));
const names = fc.uniqueArray(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 40 }).filter((name) => !/^\.{1,2}$|\/|\0/.test(name)),
  { minLength: 1, maxLength: 60 },
);

async function collect(store: ReturnType<typeof createMemoryBlockstore>, cid: CID) {
  const entries: PbLink[] = [];
  for await (const entry of listDirectory(store, cid)) entries.push(entry);
  return entries;
}

/** Imports a directory of one-byte files with js-ipfs, forced to shard it, and returns the CID. */
async function reference(paths: readonly string[], fanoutBits = 8): Promise<string> {
  const ignore = {
    put: async (cid: unknown) => cid,
    get: async () => {
      throw new Error('never read');
    },
  };
  const candidates = importer(
    paths.map((path) => ({ path: `root/${path}`, content: Buffer.from('x') })),
    ignore as unknown as Parameters<typeof importer>[1],
    { cidVersion: 1, rawLeaves: true, shardSplitThresholdBytes: 0, shardFanoutBits: fanoutBits },
  );
  let last = '';
  for await (const entry of candidates) last = entry.cid.toString();
  return last;
}

describe('murmur3x64', () => {
  // First words of the 128-bit digests with seed 0, as published with the reference code of MurmurHash3 (smhasher).
  test.each([
    ['', '0000000000000000'],
    ['hello', 'cbd8a7b341bd9b02'],
    ['The quick brown fox jumps over the lazy dog', 'e34bbc7bbc071b6c'],
  ])('of %j', (text, hash) => {
    expect(murmur3x64(Buffer.from(text)).toString(16).padStart(16, '0')).toBe(hash);
  });
});

describe('sharded directories', () => {
  test('equal those of the reference for every set and order of names', async () => {
    await fc.assert(
      fc.asyncProperty(names, async (some) => {
        const store = createMemoryBlockstore();
        const result = await importDirectory(entriesOf(some), store, { cidVersion: 1, shardBytes: 1 });
        expect(result.cid.toString()).toBe(await reference(some));
        const reversed = await importDirectory(entriesOf([...some].reverse()), store, { cidVersion: 1, shardBytes: 1 });
        expect(reversed.cid.equals(result.cid)).toBe(true);
      }),
      { numRuns: 40 },
    );
  });

  test('equal those of the reference over several levels', async () => {
    const many = Array.from({ length: 3000 }, (_, index) => `file-${index}`);
    const result = await importDirectory(entriesOf(many), createMemoryBlockstore(), { cidVersion: 1, shardBytes: 1 });
    expect(result.cid.toString()).toBe(await reference(many));
  });

  test('list every entry, and find each by its name and no other', async () => {
    await fc.assert(
      fc.asyncProperty(names, fc.constantFrom(8, 16, 256, 1024), async (some, shardFanout) => {
        const store = createMemoryBlockstore();
        const { cid } = await importDirectory(entriesOf(some), store, { shardBytes: 1, shardFanout });
        expect((await collect(store, cid)).map(({ name }) => name).sort()).toEqual([...some].sort());
        const root = await readNode(store, cid);
        for (const name of some) expect(await findEntry(store, root, name)).toMatchObject({ name, tsize: 1 });
        expect(await findEntry(store, root, `${some[0]}-not`)).toBeUndefined();
      }),
      { numRuns: 40 },
    );
  });

  test('are resolved by paths; errors name the missing entry', async () => {
    const store = createMemoryBlockstore();
    const { cid } = await importDirectory(entriesOf(['a', 'b']), store, { shardBytes: 1 });
    expect((await resolvePath(store, `/ipfs/${cid}/b`)).equals(leaf)).toBe(true);
    await expect(resolvePath(store, `${cid}/c`)).rejects.toMatchObject({
      code: 'LINK_NOT_FOUND',
      message: `no link named "c" under ${cid}`,
    });
  });

  test('start above the threshold, not at it', async () => {
    const store = createMemoryBlockstore();
    const entries = entriesOf(['a', 'bc']);
    const linkBytes = 3 + 2 * leaf.bytes.length;
    const plain = await importDirectory(entries, store, { shardBytes: 0 });
    const blockBytes = (await readNode(store, plain.cid)).blockBytes;
    const isPlain = async (options: Parameters<typeof importDirectory>[2]) =>
      (await importDirectory(entries, store, options)).cid.equals(plain.cid);
    expect(await isPlain({ shardBytes: linkBytes })).toBe(true);
    expect(await isPlain({ shardBytes: linkBytes - 1 })).toBe(false);
    expect(await isPlain({ shardBytes: blockBytes, shardEstimation: 'block' })).toBe(true);
    expect(await isPlain({ shardBytes: blockBytes - 1, shardEstimation: 'block' })).toBe(false);
    expect(await isPlain({ shardBytes: 1, shardEstimation: 'disabled' })).toBe(true);
    expect(await isPlain({ directoryLinksMax: 2 })).toBe(true);
    expect(await isPlain({ directoryLinksMax: 1 })).toBe(false);
  });

  test.each([
    [{ shardFanout: 100 }, 'max-hamt-fanout'],
    [{ shardFanout: 4 }, 'max-hamt-fanout'],
    [{ shardBytes: -1 }, 'shard-size'],
    [{ directoryLinksMax: 0.5 }, 'max-directory-links'],
  ])('refuse %j and name the option', async (options, option) => {
    await expect(importDirectory([], createMemoryBlockstore(), options)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      details: { option },
    });
  });

  test('are reported as directories', async () => {
    const store = createMemoryBlockstore();
    async function* content() {
      yield Buffer.from('x');
    }
    const file = await importFile(content(), store);
    await expect(collect(store, file.cid)).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY' });
  });
});

describe('malicious tries', () => {
  const store = createMemoryBlockstore();
  async function putShard(
    links: readonly PbLink[],
    positions: readonly number[],
    given: { fanout?: number; hashType?: number; data?: Uint8Array } = {},
  ) {
    const { fanout = 256, hashType = shardHashCode, data = bitfieldOf(positions, 256) } = given;
    const message = encodeUnixfsData({ type: 'hamt-sharded-directory', data, hashType, fanout });
    const bytes = encodePbNode({ links, data: message });
    const cid = cidFor(bytes, { codec: 'dag-pb' });
    await store.putMany([{ cid, bytes }]);
    return cid;
  }
  const allPositions = Array.from({ length: 256 }, (_, position) => position);
  const everywhere = (cid: CID) =>
    allPositions.map((position) => ({ cid, name: positionPrefix(position, 256), tsize: 0 }));
  const invalid = expect.objectContaining({ code: 'DAG_INVALID' });

  /** Builds a trie of seven levels in which every position leads to the same shard: 256^7 paths in eight blocks. */
  async function bomb(bottom: CID) {
    let cid = bottom;
    for (let level = 0; level < 7; level++) cid = await putShard(everywhere(cid), allPositions);
    return cid;
  }

  /** Lists a trie and returns the number of reads. A walk without end fails instead of hanging. */
  async function readsUntilRefused(cid: CID): Promise<number> {
    let reads = 0;
    const counting = {
      get: async (...args: Parameters<typeof store.get>) => {
        if (++reads > 100) throw new Error('the walk does not end');
        return store.get(...args);
      },
    };
    const walk = async () => {
      for await (const _ of listDirectory(counting, cid));
    };
    await expect(walk()).rejects.toEqual(invalid);
    return reads;
  }

  test('that repeat one shard at every position are refused after few reads', async () => {
    const position = positionOf(hashOfName('a'), 7, 256);
    const bottom = await putShard([{ cid: leaf, name: `${positionPrefix(position, 256)}a`, tsize: 1 }], [position]);
    const cid = await bomb(bottom);
    expect(await readsUntilRefused(cid)).toBe(8);
  });

  test('of empty shards are refused after few reads', async () => {
    expect(await readsUntilRefused(await bomb(await putShard([], [])))).toBe(8);
  });

  test('deeper than the hash of a name are refused by walks and look-ups', async () => {
    let cid = await putShard(everywhere(leaf), allPositions);
    for (let level = 0; level < 9; level++) cid = await putShard(everywhere(cid), allPositions);
    await expect(collect(store, cid)).rejects.toEqual(invalid);
    await expect(resolvePath(store, `${cid}/a`)).rejects.toEqual(invalid);
  });

  test.each([
    ['an entry in a foreign position', [0], { links: [`${positionPrefix(0, 256)}a`] }],
    ['a prefix of another position', [1], { links: ['00a'] }],
    ['more links than positions', [1], { links: ['01a', '02b'] }],
    ['a fanout that is no power of two', [1], { links: ['01a'], fanout: 100 }],
    ['a huge fanout', [1], { links: ['01a'], fanout: 2 ** 40 }],
    ['another hash function', [1], { links: ['01a'], hashType: 0x12 }],
    ['a bitfield longer than its fanout', [1], { links: ['01a'], data: new Uint8Array(33).fill(1) }],
  ])('with %s are refused', async (_, positions, { links, ...given }) => {
    const cid = await putShard(entriesOf(links), positions, given);
    await expect(collect(store, cid)).rejects.toEqual(invalid);
  });

  test('whose positions lead to other nodes are refused', async () => {
    await store.putMany([{ cid: leaf, bytes: Buffer.from('x') }]);
    const cid = await putShard([{ cid: leaf, name: '01', tsize: 1 }], [1]);
    await expect(collect(store, cid)).rejects.toEqual(invalid);
  });

  test('a valid trie with one exchanged link is refused', async () => {
    const { cid } = await importDirectory(entriesOf(['a', 'b', 'c', 'd']), store, { shardBytes: 1 });
    const { links, data } = decodePbNode(await store.get(cid));
    const exchanged = links.map((link, index) =>
      index === 0 ? { cid: link.cid, name: `${link.name.slice(0, 2)}zz`, tsize: link.tsize } : link,
    );
    const bytes = encodePbNode({ links: exchanged, data });
    const forged = cidFor(bytes, { codec: 'dag-pb' });
    await store.putMany([{ cid: forged, bytes }]);
    await expect(collect(store, forged)).rejects.toEqual(invalid);
  });
});
