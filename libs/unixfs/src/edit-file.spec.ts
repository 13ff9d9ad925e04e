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

test('writes as into a byte array, whatever the file is made of', async () => {
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

test('reads and writes only the leaves that it touches, and keeps mode, time and version', async () => {
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
  // 400 leaves under 3 nodes under the root: one leaf and what lies above it.
  expect((await store.stats()).blocks - before).toBe(3);
  expect(read.length).toBeLessThan(8);
  const root = await readNode(store, edit.cid);
  expect([edit.cid.version, root.mode, root.mtime]).toEqual([1, 0o640, { seconds: 5, nanoseconds: 0 }]);
  content.write('edited', 2002);
  expect((await bytesOf(store, edit.cid)).equals(content)).toBe(true);
});

test('a file that is written piece by piece equals one that is laid out at once', async () => {
  const store = createMemoryBlockstore();
  const content = Buffer.from(Array.from({ length: 1600 }, (_, n) => n % 249));
  for (const cidVersion of [0, 1] as const) {
    const some = { chunker: 'size-16', cidVersion, fileLinksMax: 3 };
    for (const piece of [16, 48, 160, 800]) {
      let cid: CID | undefined;
      for (let at = 0; at < content.length; at += piece)
        ({ cid } = await editFile(store, cid, pieces(content.subarray(at, at + piece)), { ...some, offset: at }));
      const whole = await importFile(pieces(content), store, { ...some, layout: 'trickle' });
      expect(cid?.toString()).toBe(whole.cid.toString());
    }
  }
});

describe('as Kubo writes files', () => {
  const store = createMemoryBlockstore();
  const write = async (text: string, at?: CID, options = {}) =>
    (await editFile(store, at, pieces(Buffer.from(text), 100), options)).cid;

  test.each([
    [{}, 'QmPbFXUdgtyrCjExNAjugJTro6Lx4GG4MuvXTiHcZQkiif', 'Hello, World!\n'],
    [{}, 'QmcFUHo1DBpydnTSeuXszKgQqnXQCJq6Wu1BUdzEfuRahM', 'hello\n'],
    [{ rawLeaves: true }, 'QmcHRf1w1NG9Ld9qUWAPyPKmCsESeHvu3kaa7By4pBvSgw', 'hello\n'],
  ])('a new file with %j: %s', async (options, expected, text) => {
    expect((await write(text, undefined, options)).toString()).toBe(expected);
  });

  // FILE_HASH of Kubo's sharness test t0250-files-api.sh.
  test.each([
    [{}, 'QmQdQt9qooenjeaNhiKHF3hBvmNteB4MQBtgu3jxgf9c7i'],
    [{ rawLeaves: true }, 'QmRCgHeoKxCqK2Es6M6nPUDVWz19yNQPnsXGsXeuTkSKpN'],
    [{ cidVersion: 1 }, 'zdj7WYHvf5sBRgSBjYnq64QFr449CCbgupXfBvoYL3aHC1DzJ'],
    [{ hash: 'blake2b-256' }, 'zDMZof1kxbB9CvxgRioBzESbGnZUxtSCsZ18H1EUkxDdWt1DYEkK'],
  ])('at an offset, over the end, with %j: %s', async (options, expected) => {
    const file = await write('ipfs rocks\n', undefined, options);
    const edited = await write('is super cool\n', file, { ...options, offset: 5 });
    expect(edited.equals(parseCid(expected))).toBe(true);
  });
});

test('refuses a gap without end, and what is no file', async () => {
  const store = createMemoryBlockstore();
  const { cid } = await importFile(pieces(Buffer.from('x')), store);
  const far = editFile(store, cid, pieces(Buffer.from('y')), { offset: gapBytesMax + 2 });
  await expect(far).rejects.toMatchObject({ code: 'OPTION_INVALID' });
  const directory = await importDirectory([], store);
  await expect(editFile(store, directory.cid, pieces(Buffer.from('y')))).rejects.toMatchObject({ code: 'NOT_A_FILE' });
});
