import type { Block } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { encodePbNode, importFile } from '@cairn/unixfs';
import { beforeEach, describe, expect, test } from '@jest/globals';
import {
  adoptDag,
  changeMode,
  move,
  parseModeChange,
  parseTreePath as path,
  remove,
  unlinkFile,
  writeFile,
} from './index.ts';
import { bytesOf, chunkOf, createTreeFixture } from './tree.fixture.ts';

let fixture: ReturnType<typeof createTreeFixture>;
let blocks: typeof fixture.blocks;
let session: typeof fixture.session;
let change: typeof fixture.change;
let put: typeof fixture.put;
let read: typeof fixture.read;
let stat: typeof fixture.stat;
let names: typeof fixture.names;

beforeEach(() => {
  fixture = createTreeFixture();
  ({ blocks, session, change, put, read, stat, names } = fixture);
});

describe('copy and move', () => {
  const copy = (from: string, to: string) =>
    change(async (tree) => await tree.put(path(to), await tree.lookup(path(from))));
  const moved = (from: string, to: string) => change((tree) => move(tree, path(from), path(to)));

  beforeEach(async () => {
    await put('/a', 'of a');
    await put('/dir/b', 'of b');
  });

  test('copy requires a new name; with force it replaces a file, never a directory', async () => {
    await copy('/a', '/c');
    expect(await read('/c')).toBe('of a');
    for (const to of ['/a', '/dir']) await expect(copy('/c', to)).rejects.toMatchObject({ code: 'ENTRY_EXISTS' });
    await expect(copy('/c', '/none/c')).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
    await expect(copy('/c', '/a/c')).rejects.toMatchObject({ message: '/a/ is not a directory' });
    await expect(copy('/c', '/dir/')).rejects.toMatchObject({ message: 'cannot create file with empty name' });
    for (const free of ['/a', '/none', '/none/below']) await change((tree) => unlinkFile(tree, path(free)));
    const directory = change((tree) => unlinkFile(tree, path('/dir')));
    await expect(directory).rejects.toMatchObject({ message: 'not a file: /dir' });
    const below = change((tree) => unlinkFile(tree, path('/c/x')));
    await expect(below).rejects.toMatchObject({ message: 'not a directory: /c/' });
    expect(await names('/')).toEqual(['c', 'dir']);
  });

  test('move renames files and directories, replaces files, and moves into directories', async () => {
    await moved('/dir', '/other');
    await moved('/a', '/other/');
    expect(await names('/')).toEqual(['other']);
    await moved('/other/a', '/other/b');
    expect(await read('/other/b')).toBe('of a');
    expect(await names('/other')).toEqual(['b']);
    await moved('/other/b', '/other/b');
    await put('/x/other/b', 'of x');
    await moved('/other/b', '/x/other/b');
    expect([await read('/x/other/b'), await names('/other')]).toEqual(['of a', []]);
  });

  test.each([
    ['/', '/x', 'FILE_NOT_FOUND'],
    ['/dir/', '/x', 'FILE_NOT_FOUND'],
    ['/dir', '/dir/b/x', 'NOT_A_DIRECTORY'],
    // Kubo loses the directory in these two cases.
    ['/dir', '/dir', 'TREE_CHANGE_INVALID'],
    ['/dir', '/dir/inside', 'TREE_CHANGE_INVALID'],
    // Kubo finds the entry itself in the directory.
    ['/dir/b', '/dir', 'ENTRY_EXISTS'],
    ['/a', '/dir/b/', 'NOT_A_DIRECTORY'],
    ['/none', '/x', 'FILE_NOT_FOUND'],
    ['/a', '/none/x', 'FILE_NOT_FOUND'],
  ])('moving %s to %s: %s, and nothing is lost', async (from, to, code) => {
    await expect(moved(from, to)).rejects.toMatchObject({ code });
    expect([await read('/a'), await read('/dir/b')]).toEqual(['of a', 'of b']);
  });

  test('adoptDag accepts only a DAG that is complete and declares its actual size', async () => {
    async function* content() {
      yield Buffer.alloc(300_000, 1);
    }
    const { cid } = await importFile(content(), blocks, { cidVersion: 1 });
    const outside = (root: CID) =>
      change(async (tree) => {
        await adoptDag(tree, session, root);
        await tree.put(path('/x'), root);
      });
    session = { ...session, touch: async () => ({ bytes: 400_000 }) };
    await expect(outside(cid)).rejects.toMatchObject({ code: 'DAG_INVALID', details: { found: 400_000 } });
    session = {
      ...session,
      touch: () => Promise.reject(Object.assign(new Error('gone'), { code: 'BLOCK_NOT_FOUND' })),
    };
    await expect(outside(cid)).rejects.toMatchObject({ code: 'BLOCK_NOT_FOUND' });
    const plain: Block = { bytes: encodePbNode({ links: [], data: undefined }), cid };
    session = { ...session, touch: async () => ({ bytes: plain.bytes.length }) };
    await outside(cid);
    expect((await stat('/x')).fileSize).toBe(300_000);
  });
});

describe('removal', () => {
  test.each([
    ['/', { force: true }, 'cannot delete root'],
    ['/none', {}, 'file does not exist'],
    ['/none/below', {}, 'file does not exist'],
    ['/dir', {}, 'path is a directory, use -r to remove directories'],
    ['/file/below', { force: true }, "expected *mfs.Directory, didn't get it. This is likely a race condition"],
  ])('of %s with %j is refused: %s', async (at, options, message) => {
    await put('/dir/b', 'x');
    await put('/file', 'x');
    await expect(change((tree) => remove(tree, path(at), options))).rejects.toMatchObject({ message });
  });

  test('removes directories with recursive, also with a trailing slash, and with force ignores missing paths', async () => {
    await put('/dir/b', 'x');
    await change(async (tree) => {
      await remove(tree, path('/dir/'), { recursive: true });
      for (const at of ['/none', '/none/below']) await remove(tree, path(at), { force: true });
    });
    expect(await names('/')).toEqual([]);
  });
});

describe('directories', () => {
  test.each([
    ['/dir', {}, 'file already exists'],
    ['/file', { parents: true }, 'file already exists'],
    ['/file/a/b', { parents: true }, ' was not a directory'],
    ['/dir/none/x', {}, 'file does not exist'],
    ['/', {}, "cannot create directory '/': Already exists"],
  ])('%s is not created with %j: %s', async (at, options, message) => {
    await put('/file', 'x');
    await change((tree) => tree.makeDirectory(path('/dir')));
    await expect(change((tree) => tree.makeDirectory(path(at), options))).rejects.toMatchObject({ message });
  });

  test('created as parents have the options of the last one', async () => {
    await change((tree) => tree.makeDirectory(path('/a/b/c/'), { parents: true, naming: { cidVersion: 1 } }));
    await change((tree) => tree.makeDirectory(path('/a/b'), { parents: true }));
    for (const at of ['/a', '/a/b', '/a/b/c']) expect((await stat(at)).cid.version).toBe(1);
    expect((await stat('/')).cid.version).toBe(0);
  });
});

describe('the tree of the sharness test t0250-files-api.sh of Kubo 0.42', () => {
  test.each([
    ['', {}, {}, 'QmcwKfTMCT7AaeiD92hWjnZn9b6eh9NxnhfSzN5x2vnDpt', 'Qma88m8ErTGkZHbBWGqy1C7VmEmX8wwNDWNpGyCaNmEgwC'],
    [
      'with some raw leaves',
      { rawLeaves: true },
      {},
      'QmTpKiKcAj4sbeesN6vrs5w3QeVmd4QmGpxRL81hHut4dZ',
      'QmPhPkmtUGGi8ySPHoPu1qbfryLJKKq1GYxpgLyyCruvGe',
    ],
    [
      'with raw leaves',
      { rawLeaves: true },
      { rawLeaves: true },
      'QmTHzLiSouBHVTssS8xRzmfWGAvTGhPEjtPdB6pWMQdxJX',
      'QmPJkzbCoBuL379TbHgwF1YbVHnKgiDa5bjqYhe6Lovdms',
    ],
    [
      'with CID version 1',
      { rawLeaves: true },
      { cidVersion: 1 as const },
      'QmTLdTaZNj8Mvq1cgYup59ZFJFv1KxptouFSZUZKeq7X3z',
      'bafybeihsqinttigpskqqj63wgalrny3lifvqv5ml7igrirdhlcf73l3wvm',
    ],
  ])('%s', async (_, added, named, root, cats) => {
    const { rawLeaves: __, ...directories } = { rawLeaves: true, ...named };
    const { cid: foo } = await importFile(chunkOf('foo\n'), blocks, added);
    const write = (at: string, text: string, options = {}) =>
      change((tree) => writeFile(tree, path(at), bytesOf(text), { naming: named, ...options }));
    await change((tree) => tree.makeDirectory(path('/cats'), { naming: directories }));
    await change((tree) => tree.put(path('/cats/file1'), foo));
    await change((tree) => tree.makeDirectory(path('/cats/this/is/a'), { parents: true, naming: directories }));
    await write('/cats/ipfs', 'ipfs rocks\n', { create: true });
    await write('/cats/ipfs', 'is super cool\n', { offset: 5 });
    await write('/cats/walrus', 'testing\n', { create: true });
    expect((await stat('/cats')).cid.toString()).toBe(cats);
    expect((await stat('/')).cid.toString()).toBe(root);
  });
});

describe('modes', () => {
  test.each([
    [0o000, '+x', 0o111],
    [0o777, 'go-w', 0o755],
    [0o777, 'a=r', 0o444],
    [0o000, 'g+x,u+w', 0o210],
    [0o000, 'g+s', 0o2000],
    [0o000, '+t', 0o1000],
    [0o000, '+s', 0o6000],
    [0o644, 'a+X', 0o644],
    [0o744, 'go+X', 0o755],
    [0o077, 'u=rwx', 0o777],
    [0o777, '0640', 0o640],
  ])('%o %s', (before, text, expected) => {
    expect(parseModeChange(text)(before, { isDirectory: false })).toBe(expected);
  });

  test.each(['', 'x', 'u+q', '99', 'u+x,,', '+x'.repeat(3)])('parseModeChange refuses %j', (text) => {
    expect(() => parseModeChange(text)).toThrow(/expected octal digits/);
  });

  test('recursive changes apply to the whole tree', async () => {
    await put('/dir/sub/file', 'x');
    await change((tree) => changeMode(tree, path('/dir/sub/file'), () => 0o600));
    await change((tree) => changeMode(tree, path('/dir'), parseModeChange('go+rX'), { recursive: true }));
    expect([(await stat('/dir')).mode, (await stat('/dir/sub/file')).mode]).toEqual([0o55, 0o644]);
  });
});
