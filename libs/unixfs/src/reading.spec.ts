import { BufferPool, createMemoryBlockstore } from '@cairn/blockstore';
import { type CID, cidFor } from '@cairn/cid';
import * as dagPb from '@ipld/dag-pb';
import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  catFile,
  decodeNode,
  decodePbNode,
  encodePbNode,
  encodeUnixfsData,
  importDirectory,
  importFile,
  parsePath,
  profiles,
  resolvePath,
} from './index.ts';

const store = createMemoryBlockstore();
const bytesOf = (text: string) =>
  (async function* () {
    yield Buffer.from(text);
  })();

async function putNode(links: readonly { cid: CID; name?: string; tsize?: number }[], data: Uint8Array | undefined) {
  const bytes = encodePbNode({ links: links.map((link) => ({ name: '', tsize: 0, ...link })), data });
  const cid = cidFor(bytes, { codec: 'dag-pb' });
  await store.putMany([{ cid, bytes }]);
  return cid;
}

async function read(cid: CID, options = {}) {
  const parts: Uint8Array[] = [];
  for await (const part of catFile(store, cid, options)) parts.push(part);
  return Buffer.concat(parts).toString();
}

describe('dag-pb', () => {
  test('encodes as the reference does, and decodes its own output', () => {
    const cids = fc.uint8Array().map((bytes) => cidFor(bytes, { codec: 'raw' }));
    const links = fc.array(fc.record({ cid: cids, name: fc.string({ unit: 'grapheme' }), tsize: fc.nat(2 ** 40) }), {
      maxLength: 5,
    });
    fc.assert(
      fc.property(links, fc.option(fc.uint8Array(), { nil: undefined }), (nodeLinks, data) => {
        const sorted = [...nodeLinks].sort((a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)));
        const bytes = encodePbNode({ links: sorted, data });
        const Links = sorted.map(({ cid, name, tsize }) => ({ Hash: cid, Name: name, Tsize: tsize }));
        const node = { Links, ...(data && { Data: data }) } as unknown as Parameters<typeof dagPb.encode>[0];
        expect(Buffer.from(bytes)).toEqual(Buffer.from(dagPb.encode(node)));
        const decoded = decodePbNode(bytes);
        expect(decoded.data && Buffer.from(decoded.data)).toEqual(data && Buffer.from(data));
        expect(decoded.links.map(({ cid, name, tsize }) => ({ cid: cid.toString(), name, tsize }))).toEqual(
          sorted.map((link) => ({ ...link, cid: link.cid.toString() })),
        );
      }),
    );
  });

  test('random bytes are refused with a typed error', async () => {
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ maxLength: 200 }), async (bytes) => {
        try {
          await decodeNode(cidFor(bytes, { codec: 'dag-pb' }), bytes);
        } catch (error) {
          expect(error).toMatchObject({ code: 'DAG_INVALID' });
        }
      }),
      { numRuns: 500 },
    );
  });
});

describe('catFile', () => {
  test('refuses directories with the message of Kubo', async () => {
    const { cid } = await importDirectory([], store);
    await expect(read(cid)).rejects.toMatchObject({ code: 'NOT_A_FILE', message: 'this dag node is a directory' });
  });

  test('refuses a node whose child is longer or shorter than declared', async () => {
    const leaf = await importFile(bytesOf('12345'), store, { cidVersion: 1 });
    for (const size of [4, 6]) {
      const liar = await putNode(
        [{ cid: leaf.cid }],
        encodeUnixfsData({ type: 'file', fileSize: size, blockSizes: [size] }),
      );
      await expect(read(liar)).rejects.toMatchObject({
        code: 'DAG_INVALID',
        message: expect.stringContaining('declares'),
      });
    }
  });

  test('refuses nodes with inconsistent sums or counts, and other codecs', async () => {
    const leaf = await importFile(bytesOf('12345'), store, { cidVersion: 1 });
    const sum = await putNode([{ cid: leaf.cid }], encodeUnixfsData({ type: 'file', fileSize: 9, blockSizes: [5] }));
    await expect(read(sum)).rejects.toMatchObject({ code: 'DAG_INVALID' });
    const count = await putNode([{ cid: leaf.cid }], encodeUnixfsData({ type: 'file', fileSize: 5 }));
    await expect(read(count)).rejects.toMatchObject({ code: 'DAG_INVALID' });
    const bytes = Buffer.from('a0', 'hex');
    const cbor = cidFor(bytes, { codec: 'dag-cbor' });
    await store.putMany([{ cid: cbor, bytes }]);
    await expect(read(cbor)).rejects.toMatchObject({ code: 'DAG_INVALID' });
  });

  test('refuses a chain of nodes above the depth limit', async () => {
    let { cid } = await importFile(bytesOf('x'), store, { cidVersion: 1 });
    for (let depth = 0; depth < 70; depth++) {
      cid = await putNode([{ cid }], encodeUnixfsData({ type: 'file', fileSize: 1, blockSizes: [1] }));
    }
    await expect(read(cid)).rejects.toMatchObject({ code: 'DAG_INVALID', message: expect.stringContaining('deep') });
  });

  test('reads only the blocks of the range', async () => {
    const { cid } = await importFile(bytesOf('0123456789'), store, {
      chunker: 'size-1',
      fileLinksMax: 2,
      cidVersion: 1,
    });
    let reads = 0;
    const counting = {
      get: (...args: Parameters<typeof store.get>) => {
        reads++;
        return store.get(...args);
      },
    };
    const parts: Uint8Array[] = [];
    for await (const part of catFile(counting, cid, { offset: 9, length: 1 })) parts.push(part);
    expect(Buffer.concat(parts).toString()).toBe('9');
    expect(reads).toBe(5);
  });

  test('onAhead reports the links after those that are read now, each once', async () => {
    const leaves = Array.from({ length: 300 }, (_, at) => Buffer.from(`${at}`.padStart(3, '0')));
    const links = leaves.map((bytes) => ({ cid: cidFor(bytes, { codec: 'raw' }), bytes }));
    await store.putMany(links);
    const cid = await putNode(links, encodeUnixfsData({ type: 'file', blockSizes: links.map(() => 3), fileSize: 900 }));
    const reported: string[] = [];
    let most = 0;
    const onAhead = (cids: readonly CID[]) => {
      reported.push(...cids.map(String));
      most = Math.max(most, cids.length);
    };
    await read(cid, { onAhead });
    expect(reported).toEqual(links.slice(8).map((link) => link.cid.toString()));
    expect(most).toBeLessThanOrEqual(64);
  });

  test('a missing leaf ends the stream with an error that has its CID', async () => {
    const { cid } = await importFile(bytesOf('ab'), store, { chunker: 'size-1', cidVersion: 1 });
    await store.delete(cidFor(Buffer.from('b'), { codec: 'raw' }));
    await expect(read(cid)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
  });

  test('stops at the signal', async () => {
    const { cid } = await importFile(bytesOf('abcdef'), store, { chunker: 'size-1', cidVersion: 1 });
    const abort = new AbortController();
    const stream = catFile(store, cid, { signal: abort.signal });
    await stream.next();
    abort.abort(new Error('gone'));
    await expect(stream.next()).rejects.toThrow('gone');
  });
});

describe('resolvePath', () => {
  let root: CID;
  let file: CID;
  beforeEach(async () => {
    const imported = await importFile(bytesOf('inside'), store);
    file = imported.cid;
    const inner = await importDirectory([{ cid: file, name: 'file.txt', tsize: imported.dagSize }], store);
    root = (await importDirectory([{ cid: inner.cid, name: 'a', tsize: inner.dagSize }], store)).cid;
  });

  test.each(['', '/ipfs/', '/'])('resolves names below %s<cid>', async (prefix) => {
    expect((await resolvePath(store, `${prefix}${root}/a/file.txt`)).toString()).toBe(file.toString());
    expect((await resolvePath(store, `${prefix}${root}/`)).toString()).toBe(root.toString());
  });

  test('names the missing link with the message of Kubo', async () => {
    await expect(resolvePath(store, `${root}/nope`)).rejects.toMatchObject({
      code: 'LINK_NOT_FOUND',
      message: `no link named "nope" under ${root}`,
    });
    await expect(resolvePath(store, `${file}/below`)).rejects.toMatchObject({ code: 'LINK_NOT_FOUND' });
  });

  test.each(['', '/', '/ipns/x', 'nonsense', `/ipfs/${'a/'.repeat(3000)}`])('refuses %j', (path) => {
    expect(() => parsePath(path)).toThrow(expect.objectContaining({ code: 'PATH_INVALID' }));
  });

  test.each([
    ['notacid', 'path does not have enough components'],
    ['ipfs/bafkqaaa', 'path does not have enough components'],
    ['ipfs://bafkqaaa', 'path does not have enough components'],
    ['/ipfs/', 'path does not have enough components'],
    ['/ipfs/x', 'invalid cid: cid too short'],
    ['/ipfs/notacid', 'invalid cid: selected encoding not supported'],
    ['/foo/bar', 'unknown namespace: "foo"'],
    ['/ipfs/bafkqaaa/../x', 'invalid cid: cid too short'],
  ])('parsePath refuses %j with the message of boxo', (path, reason) => {
    expect(() => parsePath(path)).toThrow(`invalid path ${JSON.stringify(path)}: ${reason}`);
  });

  test('parsePath resolves empty and relative names first', () => {
    for (const path of [`/ipfs/${root}/a//./b/../c`, `${root}/a/c/`, `/${root}/a/c`])
      expect(parsePath(path).segments).toEqual(['a', 'c']);
    expect(parsePath(`/ipld/${root}/Links`)).toMatchObject({ namespace: 'ipld', segments: ['Links'] });
  });
});

describe('catFile with buffers', () => {
  /** Store whose long blocks are in lent buffers, as those of the LMDB store are. */
  const lending: Pick<typeof store, 'get'> = {
    async get(cid, options) {
      const bytes = await store.get(cid, options);
      const lent = options?.buffers?.take(bytes.length);
      lent?.set(bytes);
      return lent ?? bytes;
    },
  };
  const content = Buffer.from(Array.from({ length: 1_500_000 }, (_, index) => (index * 7 + (index >> 9)) % 251));
  const source = async function* () {
    yield content;
  };

  test.each([
    ['raw leaves', 'unixfs-v1-2025'],
    ['leaves of dag-pb', 'unixfs-v0-2015'],
  ] as const)('a consumer that gives back each chunk reads every byte: %s', async (_, profile) => {
    const { cid } = await importFile(source(), store, { ...profiles[profile], chunker: 'size-150000' });
    const buffers = new BufferPool({ bytesMax: 8 * 1024 * 1024 });
    let lent = 0;
    for (const [offset, length] of [
      [0, content.length],
      [100_001, 1_200_000],
    ] as const) {
      const parts: Uint8Array[] = [];
      for await (const chunk of catFile(lending, cid, { offset, length, buffers })) {
        parts.push(Uint8Array.from(chunk));
        if (buffers.isLent(chunk)) lent++;
        buffers.giveBack(chunk);
        // A buffer that is in use elsewhere would change there.
        if (!buffers.isLent(chunk) && buffers.freeBytes > 0) chunk.fill(0xee);
      }
      expect(Buffer.concat(parts).equals(content.subarray(offset, offset + length))).toBe(true);
    }
    expect(lent).toBeGreaterThan(10);
  });

  test('data of an inner block is not in the memory of its links', async () => {
    const leaf = { bytes: Buffer.alloc(10, 'l') };
    const cid = cidFor(leaf.bytes, { codec: 'raw' });
    await store.putMany([{ cid, bytes: leaf.bytes }]);
    const own = Buffer.alloc(200_000, 'o');
    const data = encodeUnixfsData({ type: 'file', data: own, fileSize: 200_010, blockSizes: [10] });
    const inner = await putNode([{ cid, tsize: 10 }], data);
    const root = await putNode(
      [{ cid: inner, tsize: 200_100 }],
      encodeUnixfsData({ type: 'file', fileSize: 200_010, blockSizes: [200_010] }),
    );
    const buffers = new BufferPool({ bytesMax: 8 * 1024 * 1024 });
    let text = '';
    for await (const chunk of catFile(lending, root, { buffers })) {
      text += Buffer.from(chunk).toString('latin1');
      buffers.giveBack(chunk);
      chunk.fill(0);
    }
    expect(text).toBe(`${'o'.repeat(200_000)}${'l'.repeat(10)}`);
  });
});
