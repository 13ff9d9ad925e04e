import { randomBytes } from 'node:crypto';
import { BufferPool, createMemoryBlockstore, type ReadOptions } from '@cairn/blockstore';
import { cidFor } from '@cairn/cid';
import { encodePbNode, encodeUnixfsData, importFile, importTree, readNode } from '@cairn/unixfs';
import { expect, test } from '@jest/globals';
import { extract } from 'tar-stream';
import { tarOf } from './tar.ts';

async function* bytes(text: string) {
  yield Buffer.from(text);
}

test('archives a tree with its links, modes and times, its names below the requested one', async () => {
  const store = createMemoryBlockstore();
  const entries = [
    { path: 'd', mode: 0o750 },
    { path: 'd/file', content: bytes('content'), mode: 0o640, mtime: { seconds: 7 } },
    { path: 'd/link', symlink: 'file' },
    { path: `d/${'long'.repeat(40)}`, content: bytes('') },
  ];
  let root = '';
  let cid: Parameters<typeof readNode>[1] | undefined;
  for await (const entry of importTree(from(entries), store)) if (entry.isRoot) ({ path: root, cid } = entry);
  if (cid === undefined) throw new Error('no root');
  const reading = extract();
  const chunks: Uint8Array[] = [];
  for await (const chunk of tarOf(store, 'asked', await readNode(store, cid), { signal: new AbortController().signal }))
    chunks.push(chunk);
  reading.end(Buffer.concat(chunks));
  const found = new Map<string, unknown>();
  for await (const entry of reading) {
    const { name, type, mode, mtime, linkname } = entry.header;
    const parts: Uint8Array[] = [];
    for await (const part of entry as AsyncIterable<Uint8Array>) parts.push(part);
    found.set(name.replace(/\/$/, ''), { type, mode, mtime, linkname, text: Buffer.concat(parts).toString() });
  }
  expect(root).toBe('d');
  expect([...found.keys()].sort()).toEqual(['asked', 'asked/file', 'asked/link', `asked/${'long'.repeat(40)}`]);
  expect(found.get('asked')).toMatchObject({ type: 'directory', mode: 0o750 });
  expect(found.get('asked/file')).toMatchObject({ type: 'file', mode: 0o640, text: 'content', mtime: new Date(7000) });
  expect(found.get('asked/link')).toMatchObject({ type: 'symlink', linkname: 'file' });
});

test('each chunk in a lent buffer can be overwritten as soon as it was read', async () => {
  const store = createMemoryBlockstore();
  const content = randomBytes(3_000_000);
  const { cid } = await importFile([content], store);
  const buffers = new BufferPool({ bytesMax: 8 * 1024 * 1024 });
  const lending = {
    async get(wanted: typeof cid, options?: ReadOptions) {
      const stored = await store.get(wanted);
      const lent = options?.buffers?.take(stored.length);
      lent?.set(stored);
      return lent ?? stored;
    },
  };
  const parts: Buffer[] = [];
  let lentChunks = 0;
  const { signal } = new AbortController();
  for await (const chunk of tarOf(lending, 'file', await readNode(store, cid), { signal, buffers })) {
    parts.push(Buffer.from(chunk));
    if (!buffers.isLent(chunk)) continue;
    lentChunks++;
    chunk.fill(0);
    buffers.giveBack(chunk);
  }
  const archive = Buffer.concat(parts);
  // The last leaf is short.
  expect(lentChunks).toBe(Math.floor(content.length / (256 * 1024)));
  expect(archive.subarray(512, 512 + content.length).equals(content)).toBe(true);
});

test('refuses a directory with two entries of one name before the first of them is archived', async () => {
  const store = createMemoryBlockstore();
  const put = async (bytes: Uint8Array) => {
    const cid = cidFor(bytes, { codec: 'dag-pb' });
    await store.putMany([{ cid, bytes }]);
    return cid;
  };
  const data = encodeUnixfsData({ type: 'directory' });
  const link = await put(
    encodePbNode({ links: [], data: encodeUnixfsData({ type: 'symlink', data: Buffer.from('/etc') }) }),
  );
  const directory = await put(encodePbNode({ links: [], data }));
  const links = [link, directory].map((cid) => ({ cid, name: 'x', tsize: 0 }));
  const inner = await put(encodePbNode({ links, data }));
  const root = await put(encodePbNode({ links: [{ cid: inner, name: 'inner', tsize: 0 }], data }));
  for (const cid of [inner, root]) {
    const packed: Uint8Array[] = [];
    const reading = async () => {
      const tar = tarOf(store, 'asked', await readNode(store, cid), { signal: new AbortController().signal });
      for await (const chunk of tar) packed.push(chunk);
    };
    await expect(reading()).rejects.toMatchObject({ status: 400, message: expect.stringContaining('two entries') });
    expect(Buffer.concat(packed).includes('/etc')).toBe(false);
  }
});

async function* from<T>(list: readonly T[]) {
  yield* list;
}
