import { type Block, createMemoryBlockstore } from '@cairn/blockstore';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { createFileBlock, type ImportOptions, importFile } from './index.ts';

const arbitraryOptions: fc.Arbitrary<ImportOptions> = fc.record(
  {
    cidVersion: fc.constantFrom(0 as const, 1 as const),
    rawLeaves: fc.boolean(),
    hash: fc.constant('sha2-256'),
    chunker: fc.constantFrom('default', 'size-64', 'size-262144', 'size-1048576', 'buzhash', 'rabin'),
    layout: fc.constantFrom('balanced' as const, 'trickle' as const),
    inline: fc.boolean(),
    mode: fc.constant(0o644),
    fileLinksMax: fc.constantFrom(0, 1, 174),
  },
  { requiredKeys: [] },
);

async function imported(bytes: Uint8Array, options: ImportOptions) {
  const blocks: Block[] = [];
  const store = createMemoryBlockstore();
  const putMany = async (list: readonly Block[]) => {
    blocks.push(...list);
    await store.putMany(list);
  };
  return { ...(await importFile([bytes], { putMany }, options)), blocks };
}

describe('createFileBlock', () => {
  test('creates the only block of importFile, or leaves the file to it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), arbitraryOptions, async (bytes, options) => {
        const block = createFileBlock(bytes, options);
        if (block === undefined) return;
        const { cid, dagSize, blocks } = await imported(bytes, options);
        expect(blocks).toHaveLength(1);
        expect([block.cid.toString(), block.bytes.length]).toEqual([cid.toString(), dagSize]);
        expect(Buffer.compare(block.bytes, blocks[0]?.bytes ?? new Uint8Array())).toBe(0);
      }),
      { numRuns: 300 },
    );
  });

  test.each<[string, ImportOptions]>([
    ['no options', {}],
    ['version 1', { cidVersion: 1 }],
    ['dag-pb leaves of version 1', { cidVersion: 1, rawLeaves: false }],
    ['raw leaves of version 0', { rawLeaves: true }],
    ['the profile unixfs-v1-2025', { cidVersion: 1, rawLeaves: true, chunker: 'size-1048576', fileLinksMax: 1024 }],
  ])('takes a file with %s', async (_, options) => {
    for (const length of [0, 1, 4096, 262_144]) {
      const bytes = Buffer.alloc(length, 7);
      const { cid } = await imported(bytes, options);
      expect(createFileBlock(bytes, options)?.cid.toString()).toBe(cid.toString());
    }
  });

  test('returns a copy, so that the caller may reuse its buffer', () => {
    for (const rawLeaves of [true, false]) {
      const bytes = Buffer.from('content');
      const block = createFileBlock(bytes, { rawLeaves });
      bytes.fill(0);
      expect(Buffer.from(block?.bytes ?? []).includes('content')).toBe(true);
    }
  });

  test('leaves files of several chunks to importFile', () => {
    expect(createFileBlock(Buffer.alloc(65), { chunker: 'size-64' })).toBeUndefined();
    expect(createFileBlock(Buffer.alloc(262_145), { chunker: 'size-1048576' })).toBeUndefined();
  });
});
