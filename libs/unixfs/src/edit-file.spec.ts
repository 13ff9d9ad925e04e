import { createMemoryBlockstore } from '@cairn/blockstore';
import { type CID, parseCid } from '@cairn/cid';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { catFile, editFile, gapBytesMax, importDirectory, importFile, readNode } from './index.ts';

async function* pieces(bytes: Uint8Array, every = 7) {
  for (let at = 0; at < bytes.length; at += every) yield bytes.subarray(at, at + every);
}
const bytesOf = async (store: ReturnType<typeof createMemoryBlockstore>, cid: CID) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of catFile(store, cid)) chunks.push(chunk);
  return Buffer.concat(chunks);
};

test('editFile behaves like a write into a byte array, for every layout of the file', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ maxLength: 300 }),
      fc.array(fc.tuple(fc.nat(350), fc.uint8Array({ maxLength: 120 })), { minLength: 1, maxLength: 5 }),
      fc.constantFrom('balanced' as const, 'trickle' as const),
      fc.boolean(),
      async (content, edits, layout, rawLeaves) => {
        const store = createMemoryBlockstore();
        const options = { chunker: 'size-16', fileLinksMax: 3, rawLeaves };
        let { cid } = await importFile(pieces(content), store, { ...options, layout });
        let model = Buffer.from(content);
        for (const [offset, data] of edits) {
          const result = await editFile(store, cid, pieces(data), { ...options, offset });
          cid = result.cid;
          const next = Buffer.alloc(
            Math.max(model.length, data.length > 0 || offset > model.length ? offset + data.length : 0),
          );
          model.copy(next);
          next.set(data, Math.min(offset, next.length));
          model = next;
          expect(result.fileSize).toBe(model.length);
          expect((await bytesOf(store, cid)).equals(model)).toBe(true);
        }
      },
    ),
    { numRuns: 150 },
  );
});

test('editFile reads and writes only the affected leaves, and keeps mode, time and CID version', async () => {
  const store = createMemoryBlockstore();
  const content = Buffer.from(Array.from({ length: 4000 }, (_, n) => n % 251));
  const { cid } = await importFile(pieces(content, 1000), store, {
    chunker: 'size-10',
    cidVersion: 1,
    mode: 0o640,
    mtime: { seconds: 5 },
  });
  const read: string[] = [];
  const counting: Pick<typeof store, 'get' | 'putMany'> = {
    get(name, options) {
      read.push(name.toString());
      return store.get(name, options);
    },
    putMany: (blocks, options) => store.putMany(blocks, options),
  };
  const before = (await store.stats()).blocks;
  const edit = await editFile(counting, cid, pieces(Buffer.from('edited')), { offset: 2002 });
  // 400 leaves below 3 nodes below the root: one leaf and the nodes above it.
  expect((await store.stats()).blocks - before).toBe(3);
  expect(read.length).toBeLessThan(8);
  const root = await readNode(store, edit.cid);
  expect([edit.cid.version, root.mode, root.mtime]).toEqual([1, 0o640, { seconds: 5, nanoseconds: 0 }]);
  content.write('edited', 2002);
  expect((await bytesOf(store, edit.cid)).equals(content)).toBe(true);
});

describe('editFile returns the CIDs of Kubo', () => {
  const store = createMemoryBlockstore();
  const write = async (text: string, at?: CID, options = {}) =>
    (await editFile(store, at, pieces(Buffer.from(text), 100), options)).cid;

  test.each([
    [{}, 'QmPbFXUdgtyrCjExNAjugJTro6Lx4GG4MuvXTiHcZQkiif', 'Hello, World!\n'],
    [{}, 'QmcFUHo1DBpydnTSeuXszKgQqnXQCJq6Wu1BUdzEfuRahM', 'hello\n'],
    [{ rawLeaves: true }, 'bafkreicysg23kiwv34eg2d7qweipxwosdo2py4ldv42nbauguluen5v6am', 'hello\n'],
  ])('a new file with %j: %s', async (options, expected, text) => {
    expect((await write(text, undefined, options)).toString()).toBe(expected);
  });

  // FILE_HASH and TRUNC_HASH of the sharness test t0250-files-api.sh of Kubo 0.42.
  test.each([
    [{}, 'QmQdQt9qooenjeaNhiKHF3hBvmNteB4MQBtgu3jxgf9c7i', 'QmPVnT9gocPbqzN4G6SMp8vAPyzcjDbUJrNdKgzQquuDg4'],
    [
      { rawLeaves: true },
      'bafybeibkrazpbejqh3qun7xfnsl7yofl74o4jwhxebpmtrcpavebokuqtm',
      'bafybeigwhb3q36yrm37jv5fo2ap6r6eyohckqrxmlejrenex4xlnuxiy3e',
    ],
    [
      { cidVersion: 1 as const },
      'bafybeibkrazpbejqh3qun7xfnsl7yofl74o4jwhxebpmtrcpavebokuqtm',
      'bafybeigwhb3q36yrm37jv5fo2ap6r6eyohckqrxmlejrenex4xlnuxiy3e',
    ],
    [
      { hash: 'blake2b-256' },
      'bafykbzaceca45w2i3o3q3ctqsezdv5koakz7sxsw37ygqjg4w54m2bshzevxy',
      'bafykbzaceadeu7onzmlq7v33ytjpmo37rsqk2q6mzeqf5at55j32zxbcdbwig',
    ],
  ])('a write at an offset across the end, and a truncation, with %j', async (options, over, emptied) => {
    const file = await write('ipfs rocks\n', undefined, options);
    expect((await write('is super cool\n', file, { ...options, offset: 5 })).toString()).toBe(over);
    const long = await write('some content\n', undefined, options);
    expect((await write('fish\n', long, { ...options, truncate: true })).toString()).toBe(emptied);
  });

  test('a truncated file keeps the leaf that had its bytes, each time', async () => {
    let file: CID | undefined;
    for (const text of ['hello', 'new', '12']) file = await write(text, file, { truncate: true });
    expect((await readNode(store, file ?? parseCid(''))).blockSizes).toEqual([0, 0, 2]);
  });

  test('CID version and hash function of a file stay, independent of the options', async () => {
    const { cid } = await importFile(pieces(Buffer.from('some content')), store, { chunker: 'size-4' });
    const edited = await write('!', cid, { offset: 12, cidVersion: 1, hash: 'sha2-512' });
    expect([edited.version, edited.multihash.code]).toEqual([0, 0x12]);
  });

  test('bytes in a root stay beside an added raw leaf', async () => {
    const { cid } = await importFile(pieces(Buffer.from('in the root')), store, { cidVersion: 1, rawLeaves: false });
    expect(`${await bytesOf(store, await write(', and on', cid, { offset: 11 }))}`).toBe('in the root, and on');
  });

  test('a time is replaced by the time of the change, a mode stays', async () => {
    const metadata = { mode: 0o640, mtime: { seconds: 5 } };
    const { cid } = await importFile(pieces(Buffer.from('content')), store, metadata);
    const { mode, mtime } = await readNode(store, await write('C', cid));
    expect([mode, (mtime?.seconds ?? 0) > 1_700_000_000]).toEqual([0o640, true]);
    expect((await readNode(store, await write('', cid))).mtime).toEqual({ seconds: 5, nanoseconds: 0 });
  });
});

test('editFile refuses a gap beyond the limit, and nodes that are not files', async () => {
  const store = createMemoryBlockstore();
  const { cid } = await importFile(pieces(Buffer.from('x')), store);
  const far = editFile(store, cid, pieces(Buffer.from('y')), { offset: gapBytesMax + 2 });
  await expect(far).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  const directory = await importDirectory([], store);
  await expect(editFile(store, directory.cid, pieces(Buffer.from('y')))).rejects.toMatchObject({ code: 'NOT_A_FILE' });
});

async function* zeros(length: number) {
  for (let left = length; left > 0; left -= 65_536) yield new Uint8Array(Math.min(left, 65_536));
}

test('editFile fills a hole with zeros in chunks of 4096 bytes', async () => {
  const lengths = fc.tuple(fc.constantFrom(0, 1, 4095, 4096, 40_960), fc.nat(400_000));
  const shapes = fc.tuple(
    fc.integer({ min: 1, max: 4 }),
    fc.boolean(),
    fc.constantFrom('balanced' as const, 'trickle' as const),
  );
  await fc.assert(
    fc.asyncProperty(lengths, shapes, async ([before, hole], [fileLinksMax, rawLeaves, layout]) => {
      const store = createMemoryBlockstore();
      // A file with one raw leaf is that leaf, whose CID has version 1.
      const options = {
        fileLinksMax: fileLinksMax + 1,
        rawLeaves,
        cidVersion: rawLeaves ? (1 as const) : (0 as const),
      };
      const { cid } = await importFile(pieces(new Uint8Array(before).fill(7), 5000), store, {
        ...options,
        layout,
        chunker: 'size-4000',
      });
      const data = Buffer.from('data behind the hole');
      const filled = await editFile(store, cid, zeros(hole), { ...options, offset: before, chunker: 'size-4096' });
      const expected = await editFile(store, filled.cid, pieces(data), { ...options, offset: before + hole });
      const result = await editFile(store, cid, pieces(data), { ...options, offset: before + hole });
      expect({ ...result, cid: String(result.cid) }).toEqual({ ...expected, cid: String(expected.cid) });
    }),
    { numRuns: 60 },
  );
});

/** Recorded from Kubo 0.42: `files write --create --offset 1073741824 --raw-leaves=<…>` with the one byte `x`. */
const kuboHoles = [
  [false, 'QmSuQAMcjC3hL7T7bgThwZSe8Y4hqoQ89wu2SWo8eenMhQ'],
  [true, 'Qmc1Q9mjiXxhNP9BMKnymsbNTgmvHciDnriTdCcwUJp7WG'],
] as const;

test('a hole of 1 GiB writes few blocks and has the CID of Kubo', async () => {
  for (const [rawLeaves, expected] of kuboHoles) {
    const store = createMemoryBlockstore();
    let written = 0;
    const counting: Pick<typeof store, 'get' | 'putMany'> = {
      get: (cid, options) => store.get(cid, options),
      async putMany(blocks) {
        written += blocks.length;
        await store.putMany(blocks);
      },
    };
    const { cid, fileSize } = await editFile(counting, undefined, pieces(Buffer.from('x')), {
      offset: gapBytesMax,
      rawLeaves,
    });
    expect(cid.toString()).toBe(expected);
    expect(fileSize).toBe(gapBytesMax + 1);
    expect(written).toBeLessThan(32);
  }
});

/** Recorded from Kubo 0.42: `files write --create --offset <n>` of the byte `x` into one file, one write after the other. */
const kuboAppends = [
  [1, 'QmPGAPD9zJvNkntx9CqJYVChqNsA92YtMDFy6eMuMLKAsB', 'Qmbzy3Gj4LkBExWdhPEMytrCCMcDtnn6reTEd5NT84HqW7'],
  [714000, 'QmfDF8eqNZUi9H8uPZB2DpJ8ivE2DzVf1UrKUCqjPDeQUk', 'Qmf8EJ56RLUo7Qz2B3dVFornvVEuDDZhvHCrjz9W66e8bT'],
  [3000000, 'Qmc7KytAThrWhnm1AHELy1Xz3Qjv3HnANBkDx9P1ZR2MaM', 'QmUddo8dc9uLhs6mVqybFkLrVwstRTBPL5yqNrDieGjXHa'],
  [3563520, 'QmdbKHvQfrQPkjpXEBzTvCP9yNdyBBuVBh7BaVuvGoSdE2', 'Qme1qp1Y3uUysT8zRnejuz8sSs4mQHdr6AHowUNpMNuaeV'],
  [20000000, 'QmWdM81xzSxZ6wUdQ8MB4uKiuWaQnMjB8Fu6qmFmcjompG', 'QmTxLbdqQbzcyT85fR11sWvnYa2xsdRTc8oPVBV3SL46T9'],
  [100000000, 'QmZK8d9fh9jiDSjoNF7oNwKRyyRx2MTG6tgaypNcRy1zNU', 'QmW8hr45BJBtbNJD2n4n229dLCZkFYWq3eHS7jxEMZwh37'],
  [107000000, 'QmawftaY9bABZWYeN6Ap6MJRaHY9QSNpAr3W71BjJM26LQ', 'QmTQRRDu6oMWPsH6ZjWUei7drNtgVJ1CPto5f1XV8TZshW'],
  [300000000, 'QmWPzbzbXxyhuQQgwfZxu7kWbQbje22UYgoWJk7w3ZUwht', 'QmdUdKp5oyLyzrwE2Jw1Yq8Y62EtaP6Tm6sxZsxutMKFDi'],
] as const;

test('repeated writes beyond the end of a file append as Kubo does', async () => {
  const store = createMemoryBlockstore();
  let nodes: CID | undefined;
  let raw: CID | undefined;
  for (const [offset, asNodes, asRaw] of kuboAppends) {
    ({ cid: nodes } = await editFile(store, nodes, pieces(Buffer.from('x')), { offset, rawLeaves: false }));
    ({ cid: raw } = await editFile(store, raw, pieces(Buffer.from('x')), { offset, rawLeaves: true }));
    expect([offset, nodes.toString(), raw.toString()]).toEqual([offset, asNodes, asRaw]);
  }
});
