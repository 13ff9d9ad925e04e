import { type Block, BufferPool, createMemoryBlockstore } from '@cairn/blockstore';
import { cidFor, verifyBytes } from '@cairn/cid';
import * as dagPb from '@ipld/dag-pb';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { UnixFS } from 'ipfs-unixfs';
import { importer } from 'ipfs-unixfs-importer';
import { fixedSize } from 'ipfs-unixfs-importer/chunker';
import { balanced } from 'ipfs-unixfs-importer/layout';
import { catFile, type ImportOptions, importDirectory, importFile } from './index.ts';

async function* pieces(bytes: Uint8Array, pieceBytes = 65_536) {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** Imports with js-ipfs in Kubo's profile, as the reference. */
async function reference(
  bytes: Uint8Array,
  {
    cidVersion,
    rawLeaves,
    chunkSize = 262_144,
    maxChildrenPerNode = 174,
  }: { cidVersion: 0 | 1; rawLeaves: boolean; chunkSize?: number; maxChildrenPerNode?: number },
) {
  const ignore = {
    put: async (cid: unknown) => cid,
    get: async () => {
      throw new Error('never read');
    },
  };
  const candidates = importer([{ content: pieces(bytes) }], ignore as unknown as Parameters<typeof importer>[1], {
    cidVersion,
    rawLeaves,
    leafType: 'file',
    reduceSingleLeafToSelf: true,
    chunker: fixedSize({ chunkSize }),
    layout: balanced({ maxChildrenPerNode }),
  });
  for await (const entry of candidates) return { cid: entry.cid.toString(), size: Number(entry.size) };
  throw new Error('nothing imported');
}

function noise(length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  // Jest makes access to globals slow, so this is a local constant.
  const { imul } = Math;
  let state = 0x9e3779b9;
  for (let at = 0; at < length; at++) {
    state = (imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    bytes[at] = state >>> 24;
  }
  return bytes;
}

const KiB = 1024;
const sizes = [0, 1, 256 * KiB - 1, 256 * KiB, 256 * KiB + 1, 45 * KiB * KiB + 7];

/** A store that overwrites lent buffers as soon as it has copied them. */
function recyclingStore() {
  const stored = new Map<string, Uint8Array>();
  return {
    stored,
    async putMany(blocks: readonly Block[]) {
      for (const { cid, bytes, lentBy } of blocks) {
        stored.set(cid.toString(), bytes.slice());
        if (lentBy?.isLent(bytes)) bytes.fill(0xee);
        lentBy?.giveBack(bytes);
      }
    },
  };
}

describe('importFile', () => {
  const few = [...sizes.slice(0, -1), 3 * KiB * KiB + 7];
  test.each(few.flatMap((length) => [true, false].map((rawLeaves) => ({ length, rawLeaves }))))(
    'writes the same blocks with lent buffers as without: $length bytes, raw leaves $rawLeaves',
    async ({ length, rawLeaves }) => {
      const bytes = noise(length);
      for (const layout of ['balanced', 'trickle'] as const) {
        const plain = recyclingStore();
        const { cid } = await importFile(pieces(bytes), plain, { rawLeaves, layout });
        const recycling = recyclingStore();
        const buffers = new BufferPool({ bytesMax: 64 * 1024 * 1024 });
        const again = await importFile(pieces(bytes), recycling, { rawLeaves, layout, buffers });
        expect(again.cid.toString()).toBe(cid.toString());
        expect([...recycling.stored.keys()]).toEqual([...plain.stored.keys()]);
        for (const [name, block] of recycling.stored)
          expect(Buffer.compare(block, plain.stored.get(name) ?? Buffer.alloc(0))).toBe(0);
        // Few buffers serve any length: those of one batch, and the chunk that is filled.
        expect(buffers.freeBytes).toBeLessThanOrEqual(4 * 1024 * 1024);
      }
    },
  );

  test.each(sizes)("names %i bytes as the reference in Kubo's profile does", async (length) => {
    const bytes = noise(length);
    for (const cidVersion of [0, 1] as const) {
      const result = await importFile(pieces(bytes), createMemoryBlockstore(), { cidVersion });
      const expected = await reference(bytes, { cidVersion, rawLeaves: cidVersion === 1 });
      expect({ cid: result.cid.toString(), size: result.dagSize }).toEqual(expected);
      expect(result.fileSize).toBe(length);
    }
  });

  // Source: Kubo, test/sharness/t0040-add-and-cat.sh and test/cli/add_test.go, and IPIP-499.
  test.each([
    ['Hello Worlds!\n', {}, 'QmVr26fY1tKyspEJBniVhqxQeEjhF78XerGiqWAwraVLQH', 22],
    ['', {}, 'QmbFMke1KXqnYyBBWxB74N4c5SBnJMVAiMNRcGu6x1AwQH', 6],
    [
      'hello world',
      { cidVersion: 1 as const, rawLeaves: false },
      'bafybeihykld7uyxzogax6vgyvag42y7464eywpf55gxi5qpoisibh3c5wa',
      19,
    ],
    ['', { rawLeaves: true }, 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku', 0],
    ['hello world', { cidVersion: 1 as const }, 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e', 11],
    ['hash me\n', { hash: 'keccak-256' }, 'bafkrwigux3okai52hzhboslo6twm3xkz7vkbajxme5i4njthdxbvtatgca', 8],
    ['hash me\n', { hash: 'blake2b-256' }, 'bafk2bzaceab2uqlsfmuytiw333t4lgjctiqdoslz7ppaqkqijxfwmoztj6p3q', 8],
  ])('returns the published CID of %j with %j', async (text, options, cid, size) => {
    const result = await importFile(pieces(Buffer.from(text)), createMemoryBlockstore(), options);
    expect([result.cid.toString(), result.dagSize]).toEqual([cid, size]);
  });

  test('agrees with the reference for random content, pieces, chunks and widths', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 3000 }),
        fc.record({
          cidVersion: fc.constantFrom<0 | 1>(0, 1),
          rawLeaves: fc.boolean(),
          chunkSize: fc.integer({ min: 1, max: 400 }),
          maxChildrenPerNode: fc.integer({ min: 2, max: 12 }),
        }),
        fc.integer({ min: 1, max: 700 }),
        async (bytes, options, pieceBytes) => {
          const result = await importFile(pieces(bytes, pieceBytes), createMemoryBlockstore(), {
            cidVersion: options.cidVersion,
            rawLeaves: options.rawLeaves,
            chunker: `size-${options.chunkSize}`,
            fileLinksMax: options.maxChildrenPerNode,
          });
          expect({ cid: result.cid.toString(), size: result.dagSize }).toEqual(await reference(bytes, options));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('every CID matches its bytes, and every range of the file reads back', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 2000 }),
        fc.nat({ max: 2200 }),
        fc.option(fc.nat({ max: 2200 }), { nil: undefined }),
        fc.constantFrom('sha2-256', 'sha2-512', 'blake3', 'keccak-256'),
        async (bytes, offset, length, hash) => {
          const store = createMemoryBlockstore();
          const checked = {
            putMany: async (blocks: Parameters<typeof store.putMany>[0]) => {
              for (const block of blocks) verifyBytes(block.cid, block.bytes);
              await store.putMany(blocks);
            },
          };
          const { cid } = await importFile(pieces(bytes), checked, { chunker: 'size-100', fileLinksMax: 3, hash });
          const parts: Uint8Array[] = [];
          for await (const part of catFile(store, cid, length === undefined ? { offset } : { offset, length }))
            parts.push(part);
          const end = length === undefined ? undefined : offset + length;
          expect(Buffer.concat(parts)).toEqual(Buffer.from(bytes.subarray(offset, end)));
        },
      ),
      { numRuns: 60 },
    );
  });

  test('stops at the signal, and rethrows errors of the source', async () => {
    const reason = new Error('gone');
    const abort = new AbortController();
    const endless = async function* () {
      while (true) yield new Uint8Array(300_000);
    };
    await expect(
      importFile(endless(), createMemoryBlockstore(), { signal: abort.signal, onProgress: () => abort.abort(reason) }),
    ).rejects.toBe(reason);
    const broken = async function* () {
      yield new Uint8Array(10);
      throw new Error('source broke');
    };
    await expect(importFile(broken(), createMemoryBlockstore())).rejects.toThrow('source broke');
  });

  test('rethrows what the store refuses, and writes nothing afterwards', async () => {
    const batches: number[] = [];
    const store = {
      async putMany(blocks: readonly Block[]) {
        batches.push(blocks.length);
        if (batches.length === 2) throw new Error('disk full');
      },
    };
    await expect(importFile(pieces(noise(9 * KiB * KiB)), store)).rejects.toThrow('disk full');
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(batches).toEqual([4, 4]);
  });

  test('fileLinksMax of 0 and less means the default, and 1 allows one chunk', async () => {
    const cid = async (fileLinksMax: number, bytes: string) =>
      `${(await importFile(pieces(Buffer.from(bytes)), createMemoryBlockstore(), { fileLinksMax, chunker: 'size-1' })).cid}`;
    // Recorded from Kubo 0.42.0.
    for (const linksMax of [0, -1, 100_000])
      expect(await cid(linksMax, 'hello\n')).toBe('QmeAKBSFSWyXxvspwYCyR68iMMfSwJ1YWzQrFbKB54fnDF');
    expect(await cid(1, 'a')).toBe('QmfDmsHTywy6L9Ne5RXsj5YumDedfBLMvCvmaxjBoe6w4d');
  });

  test.each([
    [{ chunker: 'size-0' }, 'chunker'],
    [{ chunker: 'size-99999999' }, 'chunker'],
    [{ chunker: 'bogus' }, 'unrecognized chunker option'],
    [{ cidVersion: 0 as const, hash: 'sha2-512' }, 'CIDv0 only supports sha2-256'],
    [{ fileLinksMax: 1, chunker: 'size-1' }, 'max-file-links'],
  ])('refuses %j and names the option', async (options, message) => {
    await expect(importFile(pieces(Buffer.from('ab')), createMemoryBlockstore(), options)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      message: expect.stringContaining(message),
    });
  });
});

describe('importDirectory', () => {
  test('agrees with the reference encoders for every order of the entries', async () => {
    const leaf = cidFor(Buffer.from('x'), { codec: 'raw' });
    const names = ['b', 'a', 'Z', 'é', 'a.txt'];
    const result = await importDirectory(
      names.map((name) => ({ cid: leaf, name, tsize: 1 })),
      createMemoryBlockstore(),
    );
    const node = dagPb.prepare({
      Data: new UnixFS({ type: 'directory' }).marshal(),
      Links: names
        .map((Name) => ({ Name, Hash: leaf, Tsize: 1 }))
        .sort((a, b) => Buffer.compare(Buffer.from(a.Name), Buffer.from(b.Name))),
    } as unknown as Parameters<typeof dagPb.prepare>[0]);
    const bytes = dagPb.encode(node);
    expect(result.cid.toString()).toBe(cidFor(bytes, { codec: 'dag-pb', version: 0 }).toString());
    expect(result.dagSize).toBe(bytes.length + names.length);
  });

  test('refuses names that cannot be entries', async () => {
    const cid = cidFor(Buffer.from('x'), { codec: 'raw' });
    for (const names of [['a', 'a'], [''], ['a/b'], ['..']]) {
      const entries = names.map((name) => ({ cid, name, tsize: 1 }));
      await expect(importDirectory(entries, createMemoryBlockstore())).rejects.toMatchObject({
        code: 'OPTION_INVALID',
      });
    }
  });
});

/** Counts the turns of the event loop during an import of bytes in memory. */
async function turnsDuring(
  bytes: Uint8Array,
  store: Parameters<typeof importFile>[1],
  options: ImportOptions,
): Promise<number> {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  setImmediate(count);
  async function* source() {
    yield bytes;
  }
  await importFile(source(), store, options);
  isDone = true;
  return turns;
}

test('an import of tiny chunks yields to other work and writes bounded batches', async () => {
  const lengths: number[] = [];
  const store = { putMany: async (blocks: readonly unknown[]) => void lengths.push(blocks.length) };
  expect(await turnsDuring(new Uint8Array(30_000), store, { chunker: 'size-1' })).toBeGreaterThan(1);
  expect(Math.max(...lengths)).toBeLessThanOrEqual(512);
});

test('an import of long chunks whose hash function has no thread yields to other work', async () => {
  const store = { putMany: async () => {} };
  expect(await turnsDuring(noise(8 * KiB * KiB), store, { cidVersion: 1, hash: 'blake3' })).toBeGreaterThan(1);
});
