import { createMemoryBlockstore } from '@cairn/blockstore';
import { codecs } from '@cairn/cid';
import { expect, test } from '@jest/globals';
import {
  addLink,
  catFile,
  importDirectory,
  importFile,
  importSymlink,
  readNode,
  rewriteNode,
  statNode,
} from './index.ts';

const store = createMemoryBlockstore();
async function* bytesOf(text: string) {
  yield Buffer.from(text);
}
const file = (text: string, options = {}) => importFile(bytesOf(text), store, { chunker: 'size-4', ...options });

test('rewriteNode without a change returns the same CID', async () => {
  const { cid: entry } = await file('entry');
  let shard = (await importDirectory([], store)).cid;
  for (let index = 0; index < 20; index++)
    shard = (await addLink(store, shard, { name: `${index}`, cid: entry, tsize: 9 }, { shardBytes: 1 })).cid;
  for (const { cid } of [
    await file('content'),
    await file('raw', { cidVersion: 1 }),
    await file('content', { mode: 0o600, mtime: { seconds: 7, nanoseconds: 8 } }),
    await importSymlink('target', store, { mtime: { seconds: 1 } }),
    await importDirectory([{ name: 'a', cid: entry, tsize: 9 }], store),
    { cid: shard },
  ]) {
    expect((await rewriteNode(store, cid, {})).cid.toString()).toBe(cid.toString());
  }
});

test('rewriteNode sets mode, time, CID version and hash function', async () => {
  const { cid } = await file('some content');
  const changed = await rewriteNode(store, cid, { mode: 0o640, mtime: { seconds: 5 }, hash: 'sha2-512' });
  expect([changed.cid.version, changed.cid.multihash.code]).toEqual([1, 0x13]);
  const stat = await statNode(store, changed.cid);
  expect([stat.mode, stat.mtime?.seconds, stat.fileSize, stat.dagSize]).toEqual([0o640, 5, 12, changed.dagSize]);
  expect((await rewriteNode(store, changed.cid, { mode: 0o600 })).cid.multihash.code).toBe(0x13);
});

test('a raw block with a mode becomes a file node with the same bytes', async () => {
  const { cid } = await file('raw', { cidVersion: 1 });
  expect(cid.code).toBe(codecs.raw);
  const changed = await rewriteNode(store, cid, { mode: 0o600 });
  expect([changed.cid.code, changed.fileSize]).toEqual([codecs['dag-pb'], 3]);
  for await (const bytes of catFile(store, changed.cid)) expect(Buffer.from(bytes).toString()).toBe('raw');
  expect((await readNode(store, changed.cid)).mode).toBe(0o600);
  // Expected CIDs are those of Kubo. Without a mode it stays a node.
  expect([changed.cid.version, (await rewriteNode(store, cid, { mode: 0 })).cid.version]).toEqual([0, 0]);
});
