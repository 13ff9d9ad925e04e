import { createMemoryBlockstore } from '@cairn/blockstore';
import { CID, cidFor } from '@cairn/cid';
import {
  encodePbNode,
  encodeUnixfsData,
  importDirectory,
  importFile,
  type PbLink,
  type UnixfsType,
} from '@cairn/unixfs';
import { describe, expect, test } from '@jest/globals';
import { type DagChange, diffDags } from './diff-dags.ts';
import { editLinks, linkNames, linkTo, readPbNode, requireDirectory } from './pb-links.ts';

const { signal } = new AbortController();
const store = createMemoryBlockstore();

async function addFile(text: string): Promise<CID> {
  const bytes = (async function* () {
    yield Buffer.from(text);
  })();
  return (await importFile(bytes, store)).cid;
}

async function addDirectory(files: Readonly<Record<string, string>>): Promise<CID> {
  const entries: PbLink[] = [];
  for (const [name, text] of Object.entries(files))
    entries.push({ name, ...(await linkTo(store, await addFile(text), signal)) });
  return (await importDirectory(entries, store)).cid;
}

async function edit(root: CID, path: string, ref?: CID, create = false): Promise<CID> {
  const link = ref && (await linkTo(store, ref, signal));
  const blocks = await editLinks(store, root, { names: linkNames(path), link, create }, signal);
  await store.putMany(blocks);
  return blocks.at(-1)?.cid ?? root;
}

// CIDs of this block are answers of Kubo 0.42.
describe('CIDs of this block are responses of Kubo 0.42.', () => {
  const emptyV0 = () => addDirectory({});

  test('adds a link, replaces it and removes it', async () => {
    const root = await emptyV0();
    const hello = await addFile('hello\n');
    const added = await edit(root, 'new.txt', hello);
    expect(`${added}`).toBe('QmPrZkUbg5CEMmXyU4aFndNDCTU1m8maiQGJznErRbMMD8');
    const replaced = await edit(added, 'new.txt', root);
    expect(`${replaced}`).toBe('QmaB4rXxu3GJjNAktJp9uBjkXvdTDx8J8SViEvb5B3Zg6R');
    expect(`${await edit(replaced, 'new.txt')}`).toBe(`${root}`);
  });

  test('creates missing directories where it may', async () => {
    const hello = await addFile('hello\n');
    await expect(edit(await emptyV0(), 'deep/er/new.txt', hello)).rejects.toThrow('no link by that name');
    expect(`${await edit(await emptyV0(), 'deep/er/new.txt', hello, true)}`).toBe(
      'Qma6G811trTLRoBK2a43h59FE1sZiNyAX9uK8H136Viih9',
    );
  });

  test('keeps version and hash function of the node', async () => {
    const bytes = encodePbNode({ links: [], data: encodeUnixfsData({ type: 'directory' }) });
    const root = cidFor(bytes, { codec: 'dag-pb', version: 1, hash: 'blake2b-256' });
    await store.putMany([{ cid: root, bytes }]);
    const changed = await edit(root, 'new.txt', await addFile('hello\n'));
    expect([changed.version, changed.multihash.code]).toEqual([1, root.multihash.code]);
  });

  test.each([
    ['nosuch', undefined, 'no link by that name'],
    ['/new.txt', undefined, 'no link by that name'],
    ['a.txt/', 'ref', 'cannot create link with no name'],
    ['', 'ref', 'cannot create link with no name'],
    ['a\0b', 'ref', 'cannot create link with a NUL character in its name'],
    ['raw/x', 'ref', 'expected protobuf dag node'],
  ])('refuses the path %j', async (path, ref, message) => {
    const raw = cidFor(Buffer.from('raw'), { codec: 'raw' });
    await store.putMany([{ cid: raw, bytes: Buffer.from('raw') }]);
    const root = await edit(await addDirectory({ 'a.txt': 'a' }), 'raw', raw);
    await expect(edit(root, path, ref === undefined ? undefined : raw)).rejects.toMatchObject({ status: 500, message });
  });

  test('refuses a path of more than 256 names', () => {
    expect(() => linkNames('a/'.repeat(300))).toThrow('more than 256 names');
  });
});

test('a changed directory of an identity CID is the whole content of its new identity CID', async () => {
  const empty = encodePbNode({ data: encodeUnixfsData({ type: 'directory' }), links: [] });
  const root = cidFor(empty, { codec: 'dag-pb', hash: 'identity' });
  await store.putMany([{ cid: root, bytes: empty }]);
  const added = await edit(root, 'new.txt', await addFile('hello\n'));
  expect(added.multihash.code).toBe(0);
  expect(added.multihash.digest).toEqual(await store.get(added));
});

describe('requireDirectory', () => {
  const node = (type: UnixfsType) => ({ links: [], data: encodeUnixfsData({ type }) });

  test.each([
    [node('file'), 'add', /^cannot add named links to a UnixFS File node, only Directory nodes support link addition/],
    [node('symlink'), 'remove', /^cannot remove links from a UnixFS Symlink node, only .* support link removal/],
    [node('hamt-sharded-directory'), 'add', /^cannot add links to a HAMTShard .*; use 'ipfs files' commands instead/],
    [node('hamt-sharded-directory'), 'remove', /^cannot remove links from a HAMTShard .*; use 'ipfs files rm' instead/],
    [
      { links: [], data: undefined },
      'add',
      /^cannot add named links to a non-UnixFS dag-pb node; pass --allow-non-unixfs/,
    ],
  ] as const)('refuses %j', (refused, verb, message) => {
    expect(() => requireDirectory(refused, verb)).toThrow(message);
  });

  test('accepts a directory', async () => {
    expect(() => requireDirectory(node('directory'), 'add')).not.toThrow();
    expect((await readPbNode(store, await addDirectory({}), signal)).links).toEqual([]);
  });
});

describe('diffDags', () => {
  const shown = ({ type, path, before, after }: DagChange) => [type, path, before !== undefined, after !== undefined];
  const diff = async (before: CID, after: CID) => (await diffDags(store, before, after, signal)).map(shown);

  test('lists added, removed and changed links with their paths, in the order of Kubo', async () => {
    const before = await edit(await addDirectory({ a: '1', b: '2', d: '4' }), 'sub', await addDirectory({ x: '1' }));
    const after = await edit(
      await addDirectory({ a: '1', b: '3', c: '5' }),
      'sub',
      await addDirectory({ x: '2', y: '3' }),
    );
    expect(await diff(before, after)).toEqual([
      [2, 'b', true, true],
      [2, 'sub/x', true, true],
      [0, 'sub/y', false, true],
      [1, 'd', true, false],
      [0, 'c', false, true],
    ]);
    expect(await diff(after, after)).toEqual([]);
  });

  test('reports nodes without links, and nodes that are not dag-pb, as changed as a whole', async () => {
    const raw = cidFor(Buffer.from('raw'), { codec: 'raw' });
    await store.putMany([{ cid: raw, bytes: Buffer.from('raw') }]);
    expect(await diff(await addFile('1'), await addFile('2'))).toEqual([[2, '', true, true]]);
    expect(await diff(await addDirectory({ a: '1' }), raw)).toEqual([[2, '', true, true]]);
  });

  test('ends the comparison of DAGs that fan out without bound', async () => {
    let [one, other] = [await addFile('1'), await addFile('2')];
    for (let level = 0; level < 40; level++) {
      [one, other] = await Promise.all([fan(one), fan(other)]);
    }
    await expect(diffDags(store, one, other, signal)).rejects.toThrow('compare parts of');
  });

  async function fan(below: CID): Promise<CID> {
    const link = await linkTo(store, below, signal);
    const links = ['a', 'b', 'c', 'd'].map((name) => ({ ...link, tsize: 1, name }));
    return (await importDirectory(links, store)).cid;
  }
});
