import { createMemoryBlockstore } from '@cairn/blockstore';
import { describe, expect, test } from '@jest/globals';
import {
  catFile,
  importTree,
  listDirectory,
  profiles,
  resolvePath,
  statNode,
  type TreeEntry,
  treeLimits,
} from './index.ts';

async function* bytesOf(text: string) {
  yield Buffer.from(text);
}
const file = (path: string, text = path): TreeEntry => ({ path, content: bytesOf(text) });

async function collect<Item>(items: AsyncIterable<Item>): Promise<Item[]> {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
}

describe('importTree', () => {
  test('yields files as they come, then directories after those within them', async () => {
    const store = createMemoryBlockstore();
    const entries = [file('b/y/2'), file('a'), { path: 'b/empty' }, { path: 'b/link', symlink: 'y/2' }, file('b/x/1')];
    const results = await collect(importTree(entries, store));
    expect(results.map(({ path, type, isRoot }) => `${path} ${type} ${isRoot}`)).toEqual([
      'b/y/2 file false',
      'a file true',
      'b/link symlink false',
      'b/x/1 file false',
      'b/empty directory false',
      'b/x directory false',
      'b/y directory false',
      'b directory true',
    ]);
    const cids = new Map(results.map(({ path, cid }) => [path, cid]));
    const root = results.at(-1);
    if (root === undefined) throw new Error('nothing was imported');
    const names = await collect(listDirectory(store, root.cid));
    expect(names.map(({ name }) => name)).toEqual(['empty', 'link', 'x', 'y']);
    const leaf = await resolvePath(store, `${root.cid}/y/2`);
    expect(leaf.toString()).toBe(cids.get('b/y/2')?.toString());
    expect(Buffer.concat(await collect(catFile(store, leaf))).toString()).toBe('b/y/2');
    expect(await statNode(store, root.cid)).toMatchObject({ type: 'directory', dagSize: root.dagSize, blocks: 4 });
  });

  test('gives the same tree whatever the order, and one root when wrapped', async () => {
    const store = createMemoryBlockstore();
    const paths = ['d/z', 'd/a', 'top', 'd/m/n'];
    const wrapped = async (order: readonly string[]) =>
      (
        await collect(
          importTree(
            order.map((path) => file(path)),
            store,
            { wrap: true },
          ),
        )
      ).filter(({ isRoot }) => isRoot);
    const [first] = await wrapped(paths);
    const [second, ...others] = await wrapped([...paths].reverse());
    expect(others).toEqual([]);
    expect(first).toMatchObject({ path: '', type: 'directory' });
    expect(second?.cid.toString()).toBe(first?.cid.toString());
  });

  test('shards a directory where the options say so', async () => {
    const store = createMemoryBlockstore();
    const entries = ['a', 'b', 'c'].map((name) => file(`d/${name}`));
    const results = await collect(importTree(entries, store, { directoryLinksMax: 2 }));
    const root = results.at(-1);
    if (root === undefined) throw new Error('nothing was imported');
    const names = (await collect(listDirectory(store, root.cid))).map(({ name }) => name);
    expect(names.sort()).toEqual(['a', 'b', 'c']);
    const again = ['a', 'b', 'c'].map((name) => file(`d/${name}`));
    const plain = (await collect(importTree(again, store))).at(-1);
    expect(plain?.cid.toString()).not.toBe(root.cid.toString());
  });

  test.each([
    ['twice the same file', [file('d/a'), file('d/a')]],
    ['a file where a directory is', [file('d/a/b'), file('d/a')]],
    ['a directory where a file is', [file('d/a'), file('d/a/b')]],
    ['an empty name', [file('a//b')]],
    ['an absolute path', [file('/a')]],
    ['a relative name', [file('a/../b')]],
    ['a path without end', [file(`${'a/'.repeat(treeLimits.depthMax + 1)}b`)]],
  ])('refuses %s', async (_, entries) => {
    await expect(collect(importTree(entries, createMemoryBlockstore()))).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
  });

  test('files at the top are imports of their own; one without a name goes by its CID', async () => {
    const store = createMemoryBlockstore();
    const twice = await collect(importTree([file('a', '1'), file('a', '2'), file('', '3')], store));
    const unnamed = twice.at(-1);
    expect(twice.map(({ path, isRoot }) => [path, isRoot])).toEqual([
      ['a', true],
      ['a', true],
      [unnamed?.cid.toString(), true],
    ]);
    const root = unnamed?.cid;
    if (root === undefined) throw new Error('nothing was imported');
    const wrapped = await collect(importTree([file('', '3'), file('', '4')], store, { wrap: true }));
    const names = await collect(listDirectory(store, wrapped.at(-1)?.cid ?? root));
    expect(names.map(({ name }) => name)).toContain(unnamed?.cid.toString());
    await expect(collect(importTree([file('a'), file('a')], store, { wrap: true }))).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
  });

  test('takes names that are properties of every object', async () => {
    const entries = [file('__proto__'), file('constructor/toString')];
    const results = await collect(importTree(entries, createMemoryBlockstore(), { wrap: true }));
    expect(results.map(({ path }) => path)).toEqual(['__proto__', 'constructor/toString', 'constructor', '']);
  });

  test('stops at the signal and tells the progress of each file', async () => {
    const abort = new AbortController();
    const told: string[] = [];
    const entries = [file('a', '12345'), file('b')];
    const onProgress = (path: string, bytes: number) => {
      told.push(`${path} ${bytes}`);
      abort.abort(new Error('gone'));
    };
    const importing = collect(importTree(entries, createMemoryBlockstore(), { onProgress, signal: abort.signal }));
    await expect(importing).rejects.toThrow('gone');
    expect(told).toEqual(['a 5', 'a 5']);
  });
});

describe('profiles', () => {
  // ipfs/specs, src/ipips/ipip-0499.md, and Kubo, test/cli/cid_profiles_test.go
  test.each([
    ['unixfs-v0-2015', 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'],
    ['unixfs-v1-2025', 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'],
  ] as const)('%s gives the published CID of "hello world"', async (name, cid) => {
    const entries = [file('file.bin', 'hello world')];
    const [result] = await collect(importTree(entries, createMemoryBlockstore(), profiles[name]));
    expect(result?.cid.toString()).toBe(cid);
  });
});
