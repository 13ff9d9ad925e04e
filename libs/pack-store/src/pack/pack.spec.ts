import { createHash } from 'node:crypto';
import { type CID, cidFor } from '@cairn/cid';
import { createMemoryObjectStore } from '@cairn/object-store';
import { CarReader } from '@ipld/car';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { packLimits } from '../limits.ts';
import { PackBuilder } from './pack-builder.ts';
import { packHeader, trailerSectionBytes } from './pack-format.ts';
import { readPackEntries } from './read-pack-entries.ts';

const block = fc
  .record({
    bytes: fc.uint8Array({ maxLength: 300 }),
    hash: fc.constantFrom('sha2-256', 'sha2-512', 'blake2b-256'),
    codec: fc.constantFrom('raw', 'dag-pb', 'dag-cbor'),
    version: fc.constantFrom(0, 1),
  })
  .map(({ bytes, hash, codec, version }) => {
    const isFirst = version === 0 && hash === 'sha2-256';
    const options = isFirst ? { codec: 'dag-pb', version: 0 } : { codec, hash };
    return { bytes, cid: cidFor(bytes, options as Parameters<typeof cidFor>[1]) };
  });

function pack(blocks: readonly { readonly cid: CID; readonly bytes: Uint8Array }[]) {
  const builder = new PackBuilder();
  for (const one of blocks) builder.add(one);
  const sealed = builder.seal();
  return { ...sealed, entries: builder.entries, file: Buffer.concat(sealed.parts) };
}

function read(file: Uint8Array, key = 'packs/any.car') {
  const objects = createMemoryObjectStore(new Map([[key, { bytes: Buffer.from(file), modifiedAt: new Date() }]]));
  return { objects, entries: readPackEntries(objects, { key, bytes: file.length }) };
}

test('the index of a pack locates every block, and its key is its SHA-256', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(block, { maxLength: 40 }), async (blocks) => {
      const { file, key, bytes, entries } = pack(blocks);
      expect(bytes).toBe(file.length);
      expect(key).toBe(`packs/${createHash('sha256').update(file).digest('hex')}.car`);
      const found = await read(file).entries;
      expect(found.map(({ cid }) => String(cid))).toEqual(blocks.map(({ cid }) => String(cid)));
      expect(found.map(({ offset, length }) => [offset, length])).toEqual(entries.map((e) => [e.offset, e.length]));
      for (const [index, { offset, length }] of found.entries())
        expect(file.subarray(offset, offset + length).equals(Buffer.from(blocks[index]?.bytes ?? []))).toBe(true);
    }),
    { numRuns: 50 },
  );
});

test('@ipld/car reads a pack: its blocks, then index and trailer', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(block, { maxLength: 20 }), async (blocks) => {
      const reader = await CarReader.fromBytes(pack(blocks).file);
      expect(await reader.getRoots()).toEqual([]);
      const found: string[] = [];
      for await (const { cid, bytes } of reader.blocks()) {
        const { code, multihash } = cid;
        expect(String(cidFor(bytes, { codec: code, hash: multihash.code, version: cid.version as 0 | 1 }))).toBe(
          String(cid),
        );
        found.push(String(cid));
      }
      expect(found.slice(0, -2)).toEqual(blocks.map(({ cid }) => String(cid)));
      expect(found).toHaveLength(blocks.length + 2);
    }),
    { numRuns: 50 },
  );
});

test('a truncated pack is refused at every length', async () => {
  const { file } = pack(
    ['a', 'bb', 'ccc'].map((text) => ({ bytes: Buffer.from(text), cid: cidFor(Buffer.from(text), { codec: 'raw' }) })),
  );
  for (let length = 0; length < file.length; length++)
    await expect(read(file.subarray(0, length)).entries).rejects.toMatchObject({ code: 'PACK_CORRUPT' });
});

test('a pack with a changed byte in index or trailer is refused', async () => {
  const bytes = Buffer.from('block');
  const { file } = pack([{ bytes, cid: cidFor(bytes, { codec: 'raw' }) }]);
  const start = packHeader.length + 1 + 36 + bytes.length;
  for (let position = start; position < file.length; position++) {
    const damaged = Buffer.from(file);
    damaged[position] = (damaged[position] ?? 0) ^ 0x41;
    await expect(read(damaged).entries).rejects.toMatchObject({ code: 'PACK_CORRUPT' });
  }
});

test('random and half random files are refused without a long read', async () => {
  const tail = pack([]).file.subarray(-trailerSectionBytes);
  await fc.assert(
    fc.asyncProperty(fc.uint8Array({ maxLength: 2000 }), fc.boolean(), async (bytes, hasTrailer) => {
      const { entries, objects } = read(hasTrailer ? Buffer.concat([bytes, Buffer.of(1), tail]) : bytes);
      await expect(entries).rejects.toMatchObject({ code: 'PACK_CORRUPT' });
      expect(objects.traffic().get.requests).toBeLessThanOrEqual(2);
    }),
  );
});

test('a second seal has the same blocks under another key', () => {
  const builder = new PackBuilder();
  const bytes = Buffer.from('block');
  builder.add({ bytes, cid: cidFor(bytes, { codec: 'raw' }) });
  const [first, second] = [builder.seal(), builder.seal()];
  expect(first.key).not.toBe(second.key);
  expect(first.bytes).toBe(second.bytes);
});

test('a pack closes before its index exceeds its limits', async () => {
  const builder = new PackBuilder();
  let added = 0;
  for (; ; added++) {
    const bytes = Buffer.from(`${added}`);
    const one = { bytes, cid: cidFor(bytes, { codec: 'raw', hash: 'sha2-512' }) };
    if (!builder.hasRoomFor(one, packLimits.packBytes)) break;
    builder.add(one);
  }
  const { parts } = builder.seal();
  const { entries, objects } = read(Buffer.concat(parts));
  expect(await entries).toHaveLength(added);
  expect(objects.traffic().get.requests).toBe(2);
  expect(added).toBeGreaterThan(10_000);
});
