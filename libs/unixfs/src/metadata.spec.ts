import { createMemoryBlockstore } from '@cairn/blockstore';
import { cidFor } from '@cairn/cid';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { UnixFS } from 'ipfs-unixfs';
import { encodePbNode } from './dag-pb.ts';
import { encodeLeaf } from './encode-leaf.ts';
import {
  catFile,
  decodeUnixfsData,
  encodeUnixfsData,
  type ImportOptions,
  importDirectory,
  importFile,
  importSymlink,
  resolvePath,
  statNode,
} from './index.ts';

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}

const times = fc.record({ seconds: fc.integer({ min: -(2 ** 40), max: 2 ** 40 }), nanoseconds: fc.nat(999_999_999) });

describe('UnixFS data', () => {
  test('encodes mode and time as the reference does, and decodes its own output', () => {
    fc.assert(
      fc.property(
        fc.constantFrom('file', 'directory'),
        fc.integer({ min: 1, max: 0o7777 }),
        times,
        (type, mode, mtime) => {
          // The reference omits values that it considers defaults.
          fc.pre(mode !== 0o644 && mode !== 0o755);
          const fileSize = type === 'file' ? 0 : undefined;
          const bytes = encodeUnixfsData({ type: type === 'file' ? 'file' : 'directory', fileSize, mode, mtime });
          const nsecs = mtime.nanoseconds > 0 ? { nsecs: mtime.nanoseconds } : {};
          const reference = new UnixFS({
            type: type === 'file' ? 'file' : 'directory',
            mode,
            mtime: { secs: BigInt(mtime.seconds), ...nsecs },
          });
          // The reference encodes seconds from 2^31 to 2^32 as bytes that are not their varint. The vector below has the
          // correct ones.
          if (mtime.seconds < 2 ** 31 || mtime.seconds >= 2 ** 32)
            expect(Buffer.from(bytes).toString('hex')).toBe(Buffer.from(reference.marshal()).toString('hex'));
          expect(decodeUnixfsData(bytes)).toMatchObject({ mode, mtime });
        },
      ),
    );
  });

  test('2^31 seconds are a varint of five bytes', () => {
    const bytes = encodeUnixfsData({ type: 'file', fileSize: 0, mode: 1, mtime: { seconds: 2 ** 31, nanoseconds: 0 } });
    expect(Buffer.from(bytes).toString('hex')).toBe('0802180038014206088080808008');
  });

  test('encodeLeaf returns the same bytes as the general encoders', () => {
    fc.assert(
      fc.property(fc.constantFrom('file', 'raw'), fc.uint8Array({ maxLength: 20_000 }), (type, chunk) => {
        const data = chunk.length > 0 ? chunk : undefined;
        const kind = type === 'file' ? 'file' : 'raw';
        const plain = encodePbNode({ links: [], data: encodeUnixfsData({ type: kind, data, fileSize: chunk.length }) });
        expect(Buffer.compare(encodeLeaf(kind, chunk), plain)).toBe(0);
      }),
    );
  });
});

describe('metadata', () => {
  const mtime = { seconds: -100, nanoseconds: 5 };

  test.each<[string, ImportOptions]>([
    ['one leaf', {}],
    ['several leaves', { chunker: 'size-3', fileLinksMax: 2 }],
    ['exactly one full row', { chunker: 'size-3', fileLinksMax: 4 }],
    ['a trickle layout', { layout: 'trickle', chunker: 'size-3' }],
    ['CID version 1', { cidVersion: 1 }],
  ])('of %s is carried by the root, and the bytes do not change', async (_, options) => {
    const store = createMemoryBlockstore();
    const { cid } = await importFile(bytesOf('hello world!'), store, { ...options, mode: 0o640, mtime });
    expect(await statNode(store, cid)).toMatchObject({ type: 'file', fileSize: 12, mode: 0o640, mtime });
    const parts: Uint8Array[] = [];
    for await (const part of catFile(store, cid)) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe('hello world!');
  });

  test('is kept for plain and sharded directories', async () => {
    const store = createMemoryBlockstore();
    const { cid } = await importFile(bytesOf('x'), store);
    for (const shardBytes of [0, 1]) {
      const directory = await importDirectory([{ cid, name: 'a', tsize: 9 }], store, {
        mode: 0o700,
        mtime,
        shardBytes,
      });
      expect(await statNode(store, directory.cid)).toMatchObject({ type: 'directory', mode: 0o700, mtime });
    }
  });

  test('a symlink keeps target and time, and is not followed', async () => {
    const store = createMemoryBlockstore();
    const link = await importSymlink('../elsewhere', store, { mtime });
    expect(await statNode(store, link.cid)).toMatchObject({ type: 'symlink', target: '../elsewhere', mtime });
    const root = await importDirectory([{ cid: link.cid, name: 'link', tsize: link.dagSize }], store);
    expect((await resolvePath(store, `${root.cid}/link`)).equals(link.cid)).toBe(true);
    await expect(resolvePath(store, `${root.cid}/link/below`)).rejects.toMatchObject({ code: 'LINK_NOT_FOUND' });
  });

  test.each<[ImportOptions, string]>([
    [{ mode: -1 }, 'mode'],
    [{ mode: 0o10000 }, 'mode'],
    [{ mtime: { seconds: 1.5 } }, 'mtime'],
    [{ mtime: { seconds: 0, nanoseconds: 1e9 } }, 'mtime-nsecs'],
    [{ mode: 0o600, rawLeaves: true }, 'raw-leaves'],
    [{ inline: true, inlineBytesMax: 129 }, 'inline-limit'],
  ])('refuses %j and names the option', async (options, name) => {
    await expect(importFile(bytesOf('a'), createMemoryBlockstore(), options)).rejects.toMatchObject({
      code: 'OPTION_INVALID',
      details: { option: name },
    });
  });

  test('refuses a target longer than any file system allows', async () => {
    await expect(importSymlink('x'.repeat(4097), createMemoryBlockstore())).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
  });
});

describe('inlined blocks', () => {
  test('are read from their CIDs, without the store', async () => {
    const store = createMemoryBlockstore();
    const { cid } = await importFile(bytesOf('tiny'), store, { cidVersion: 1, inline: true });
    expect(cid.toString()).toBe('bafkqabdunfxhs');
    expect(await store.stats()).toEqual({ blocks: 0, bytes: 0 });
    expect(await statNode(store, cid)).toMatchObject({ fileSize: 4 });
    // Only the last chunk is short enough for inlining.
    const file = await importFile(bytesOf('0123456789'), store, {
      chunker: 'size-4',
      inline: true,
      inlineBytesMax: 3,
      cidVersion: 1,
    });
    expect(await store.stats()).toMatchObject({ blocks: 3 });
    const parts: Uint8Array[] = [];
    for await (const part of catFile(store, file.cid)) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe('0123456789');
  });

  test('longer than 128 bytes are refused, so that CIDs cannot carry blocks beyond the limits', async () => {
    const cid = cidFor(Buffer.alloc(129), { codec: 'raw', hash: 'identity' });
    await expect(statNode(createMemoryBlockstore(), cid)).rejects.toMatchObject({ code: 'HASH_UNSUPPORTED' });
  });
});
