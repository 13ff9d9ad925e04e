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
  type TreeOptions,
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
  test('yields files as they arrive, then directories after their entries, one top-level entry after the other', async () => {
    const store = createMemoryBlockstore();
    const entries = [file('b/y/2'), { path: 'b/empty' }, { path: 'b/link', symlink: 'y/2' }, file('b/x/1'), file('a')];
    const results = await collect(importTree(entries, store));
    expect(results.map(({ path, type, isRoot }) => `${path} ${type} ${isRoot}`)).toEqual([
      'b/y/2 file false',
      'b/link symlink false',
      'b/x/1 file false',
      'b/empty directory false',
      'b/x directory false',
      'b/y directory false',
      'b directory true',
      'a file true',
    ]);
    const cids = new Map(results.map(({ path, cid }) => [path, cid]));
    const root = results.find(({ path }) => path === 'b');
    if (root === undefined) throw new Error('nothing was imported');
    const names = await collect(listDirectory(store, root.cid));
    expect(names.map(({ name }) => name)).toEqual(['empty', 'link', 'x', 'y']);
    const leaf = await resolvePath(store, `${root.cid}/y/2`);
    expect(leaf.toString()).toBe(cids.get('b/y/2')?.toString());
    expect(Buffer.concat(await collect(catFile(store, leaf))).toString()).toBe('b/y/2');
    expect(await statNode(store, root.cid)).toMatchObject({ type: 'directory', dagSize: root.dagSize, blocks: 4 });
  });

  test('returns the same tree for every order, and one root with wrap', async () => {
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

  test('shards a directory according to the options', async () => {
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
    ['an empty name', [file('a//b')]],
    ['an absolute path', [file('/a')]],
    ['a relative name', [file('a/../b')]],
    ['a path without end', [file(`${'a/'.repeat(treeLimits.depthMax + 1)}b`)]],
  ])('refuses %s', async (_, entries) => {
    await expect(collect(importTree(entries, createMemoryBlockstore()))).rejects.toMatchObject({
      code: 'OPTION_INVALID',
    });
  });

  // Expected values of this block were recorded from Kubo 0.42.0.
  const lines = async (entries: readonly TreeEntry[], options: TreeOptions = {}) =>
    (await collect(importTree(entries, createMemoryBlockstore(), options))).map(({ path, cid }) => `${path} ${cid}`);
  const hello = (path: string): TreeEntry => file(path, 'hello\n');
  const helloCid = 'QmZULkCELmmk5XNfCgTnCyFgAVxBRBXyDHGGMVoLFLiXEN';

  test('a path back into an earlier top-level directory starts another import', async () => {
    expect(await lines([hello('d/a'), hello('x'), hello('d/b')])).toEqual([
      `d/a ${helloCid}`,
      'd QmNgxr9E1dbP1AfDHuhzv98Cja4UFh6Dtcf7uBEVqJoFG8',
      `x ${helloCid}`,
      `d/b ${helloCid}`,
      'd QmSURpgzHJHuDUjLgL2Au8ddSAs4SPHoWSRA21RGVwzSGa',
    ]);
    expect(await lines([{ path: 'd' }, { path: 'd' }])).toHaveLength(2);
    await expect(lines([hello('d'), hello('x'), hello('d/a')], { wrap: true })).rejects.toThrow('file already exists');
  });

  test('a path below the previous file is ignored', async () => {
    expect(await lines([hello('d'), hello('d/a')])).toEqual([`d ${helloCid}`]);
    expect(await lines([hello('d/a'), hello('d/a/b')])).toEqual([
      `d/a ${helloCid}`,
      'd QmNgxr9E1dbP1AfDHuhzv98Cja4UFh6Dtcf7uBEVqJoFG8',
    ]);
  });

  test('directories within a sharded one are listed by the hashes of their names', async () => {
    expect(
      (await lines([hello('d/d/a'), hello('d/e/a')], { directoryLinksMax: 1 })).map((line) => line.split(' ')[0]),
    ).toEqual(['d/d/a', 'd/e/a', 'd/e', 'd/d', 'd']);
  });

  test('a directory without a name contains all entries after it', async () => {
    expect(await lines([{ path: '' }, hello('a.txt')])).toEqual([
      `a.txt ${helloCid}`,
      ' QmRL7MpyuT5GhpLr8asWP6hgWpCkhKm8ENYa4TykfAcj7E',
    ]);
    await expect(lines([{ path: '' }, hello('a.txt')], { wrap: true })).rejects.toThrow('no path given to Mkdir');
  });

  test('wrap without entries returns an empty directory', async () => {
    expect(await lines([], { wrap: true })).toEqual([' QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn']);
  });

  test('mode and time of the options apply to all directories, also to the wrapping one', async () => {
    expect(await lines([hello('a.txt')], { wrap: true, mode: 0o755 })).toEqual([
      'a.txt QmbR37qLCAUiv5TK6ViX6R3k3yAu1scLzeDkB1UjaCYw3o',
      ' QmXmoRYaMpmMsVvT2Ui1bRRC7pb4ETJug8NPX9qn6E3MLT',
    ]);
    expect(await lines([hello('a.txt')], { wrap: true, mtime: { seconds: 7 } })).toEqual([
      'a.txt QmeFkwrF4zgK6BxnUDmiw3zKU25YT4obe7iJBovBMaDTRc',
      ' QmaaV8GFRcjPeayxiy4YSmGxgngfHbNzqKhgjmy1LAKU6V',
    ]);
    expect(await lines([hello('d/e/a.txt')], { mode: 0o755 })).toEqual([
      'd/e/a.txt QmbR37qLCAUiv5TK6ViX6R3k3yAu1scLzeDkB1UjaCYw3o',
      'd/e QmXmoRYaMpmMsVvT2Ui1bRRC7pb4ETJug8NPX9qn6E3MLT',
      'd QmQ3pJPXxwiMQfNyHd4M3VdM7ktehK54wBrJbAmiiz5MnL',
    ]);
  });

  test('an entry keeps its own mode, and a directory that occurs only in paths has none', async () => {
    const entries = [
      { path: 'd', mode: 0o700 },
      { ...hello('d/e/a.txt'), mode: 0o640 },
    ];
    expect(await lines(entries, { wrap: true })).toEqual([
      'd/e/a.txt QmVR77of3sjWiFGMUAsYfD9xCjrPvkoBKJo4zkWC6XUzz8',
      'd/e QmXaqbvgYJZrbCo2YcwZPTBUKq1yY9uYZciFasQSvAEiNP',
      'd QmdgkcuisPLPjRRhcZjktAEnM9ogTsAdJ1n1prAdjiYZWj',
      ' QmdezpY21x1162dxYrnnygDe6ZE1CzjgnbATnxbUk4W1ov',
    ]);
  });

  test('emptyDirectories: false omits directories without entries, except top-level ones', async () => {
    const entries = [{ path: 'd' }, { path: 'd/e' }, hello('d/a')];
    expect(await lines(entries, { emptyDirectories: false })).toEqual([
      `d/a ${helloCid}`,
      'd QmNgxr9E1dbP1AfDHuhzv98Cja4UFh6Dtcf7uBEVqJoFG8',
    ]);
    expect(await lines([{ path: 'd' }], { emptyDirectories: false })).toHaveLength(1);
  });

  test('top-level files are separate imports, and one without a name is named by its CID', async () => {
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

  test('accepts names that are properties of every object', async () => {
    const entries = [file('__proto__'), file('constructor/toString')];
    const results = await collect(importTree(entries, createMemoryBlockstore(), { wrap: true }));
    expect(results.map(({ path }) => path)).toEqual(['__proto__', 'constructor/toString', 'constructor', '']);
  });

  test('stops at the signal, and reports the progress of each file', async () => {
    const abort = new AbortController();
    const reported: string[] = [];
    const entries = [file('a', '12345'), file('b')];
    const onProgress = (path: string, bytes: number) => {
      reported.push(`${path} ${bytes}`);
      abort.abort(new Error('gone'));
    };
    const importing = collect(importTree(entries, createMemoryBlockstore(), { onProgress, signal: abort.signal }));
    await expect(importing).rejects.toThrow('gone');
    expect(reported).toEqual(['a 5', 'a 5']);
  });
});

describe('profiles', () => {
  // Source: ipfs/specs, src/ipips/ipip-0499.md, and Kubo, test/cli/cid_profiles_test.go.
  test.each([
    ['unixfs-v0-2015', 'Qmf412jQZiuVUtdgnB36FXFX7xg5V6KEbSJ4dpQuhkLyfD'],
    ['unixfs-v1-2025', 'bafkreifzjut3te2nhyekklss27nh3k72ysco7y32koao5eei66wof36n5e'],
  ] as const)('%s gives the published CID of "hello world"', async (name, cid) => {
    const entries = [file('file.bin', 'hello world')];
    const [result] = await collect(importTree(entries, createMemoryBlockstore(), profiles[name]));
    expect(result?.cid.toString()).toBe(cid);
  });
});
