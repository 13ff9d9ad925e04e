import { createMemoryBlockstore } from '@cairn/blockstore';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { importer } from 'ipfs-unixfs-importer';
import { fixedSize } from 'ipfs-unixfs-importer/chunker';
import { trickle } from 'ipfs-unixfs-importer/layout';
import { catFile, type ImportOptions, importFile, readNode } from './index.ts';

async function* pieces(bytes: Uint8Array, pieceBytes = 64) {
  for (let at = 0; at < bytes.length; at += pieceBytes) yield bytes.subarray(at, at + pieceBytes);
}

/** Imports in the trickle layout of js-ipfs in Kubo's profile. */
async function reference(bytes: Uint8Array, rawLeaves: boolean, chunkSize: number, maxChildrenPerNode: number) {
  const ignore = {
    put: async (cid: unknown) => cid,
    get: async () => {
      throw new Error('never read');
    },
  };
  const candidates = importer([{ content: pieces(bytes) }], ignore as unknown as Parameters<typeof importer>[1], {
    cidVersion: 1,
    rawLeaves,
    leafType: 'raw',
    reduceSingleLeafToSelf: false,
    chunker: fixedSize({ chunkSize }),
    layout: trickle({ maxChildrenPerNode }),
  });
  for await (const entry of candidates) return { cid: entry.cid.toString(), size: Number(entry.size) };
  throw new Error('nothing imported');
}

const optionSets = fc.record<ImportOptions>({
  layout: fc.constantFrom('balanced', 'trickle'),
  chunker: fc.constantFrom('size-1', 'size-7', 'size-100', 'rabin-16-32-64'),
  fileLinksMax: fc.integer({ min: 2, max: 9 }),
  cidVersion: fc.constantFrom(0, 1),
  rawLeaves: fc.boolean(),
  inline: fc.boolean(),
});

describe('layouts', () => {
  test('trickle agrees with the reference over several levels of subtrees', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ minLength: 1, maxLength: 900 }),
        fc.boolean(),
        fc.integer({ min: 2, max: 12 }),
        fc.integer({ min: 1, max: 4 }),
        async (bytes, rawLeaves, width, chunkBytes) => {
          const result = await importFile(pieces(bytes), createMemoryBlockstore(), {
            layout: 'trickle',
            cidVersion: 1,
            rawLeaves,
            chunker: `size-${chunkBytes}`,
            fileLinksMax: width,
          });
          const expected = await reference(bytes, rawLeaves, chunkBytes, width);
          expect({ cid: result.cid.toString(), size: result.dagSize }).toEqual(expected);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('every range reads back for every set of options', async () => {
    const range = fc.record({ offset: fc.nat(700), length: fc.option(fc.nat(700), { nil: undefined }) });
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 600 }),
        optionSets,
        range,
        async (bytes, options, { offset, length }) => {
          const store = createMemoryBlockstore();
          const { cid, dagSize, fileSize } = await importFile(pieces(bytes), store, options);
          const { links, blockBytes } = await readNode(store, cid);
          expect(fileSize).toBe(bytes.length);
          expect(dagSize).toBe(links.reduce((sum, { tsize }) => sum + tsize, blockBytes));
          const parts: Uint8Array[] = [];
          for await (const part of catFile(store, cid, { offset, ...(length !== undefined && { length }) }))
            parts.push(part);
          const end = length === undefined ? undefined : offset + length;
          expect(Buffer.compare(Buffer.concat(parts), bytes.subarray(offset, end))).toBe(0);
        },
      ),
      { numRuns: 150 },
    );
  });

  test('trickle rethrows errors of the source and closes it', async () => {
    let closed = false;
    const endless = async function* () {
      try {
        while (true) yield new Uint8Array(300_000);
      } finally {
        closed = true;
      }
    };
    const store = {
      putMany: async () => {
        throw new Error('store broke');
      },
    };
    await expect(importFile(endless(), store, { layout: 'trickle' })).rejects.toThrow('store broke');
    expect(closed).toBe(true);
  });

  test.each(['balanced', 'trickle'] as const)(
    '%s holds few blocks at a time, however long the file',
    async (layout) => {
      let largest = 0;
      const store = {
        putMany: async (blocks: readonly { bytes: Uint8Array }[]) => {
          largest = Math.max(
            largest,
            blocks.reduce((sum, { bytes }) => sum + bytes.length, 0),
          );
        },
      };
      const long = async function* () {
        for (let index = 0; index < 40; index++) yield new Uint8Array(1_048_576).fill(index);
      };
      const { fileSize } = await importFile(long(), store, { layout });
      expect(fileSize).toBe(40 * 1_048_576);
      expect(largest).toBeLessThan(3 * 1_048_576);
    },
  );
});
