import { type Block, createMemoryBlockstore } from '@cairn/blockstore';
import { type CID, parseCid } from '@cairn/cid';
import { catFile, editFile, encodePbNode, importFile, listDirectory, statNode } from '@cairn/unixfs';
import { beforeEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import {
  changeMode,
  copyInto,
  type FileTree,
  Mfs,
  move,
  parseModeChange,
  parseTreePath as path,
  type RootStore,
  remove,
  type TreeRoot,
  type TreeSession,
  takeContent,
  touch,
  writeFile,
} from './index.ts';

const emptyCid = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn';
const naming = { cidVersion: 0, hash: 'sha2-256' } as const;
let blocks: ReturnType<typeof createMemoryBlockstore>;
let roots: Map<string, TreeRoot>;
let store: RootStore;
let mfs: Mfs;
let session: TreeSession;

beforeEach(() => {
  blocks = createMemoryBlockstore();
  roots = new Map();
  store = {
    get: async (account) => roots.get(account),
    swap: async (account, before, next) => {
      if (roots.get(account)?.cid.toString() !== before?.toString()) return false;
      roots.set(account, next);
      return true;
    },
    async *roots() {
      for (const { cid } of roots.values()) yield cid;
    },
    async *rootsOf(account) {
      const root = roots.get(account);
      if (root) yield root.cid;
    },
    bytesOf: async (account) => roots.get(account)?.bytes ?? 0,
    close: async () => {},
  };
  mfs = new Mfs({ roots: store, blocks });
  session = { store: blocks, touch: async (cid) => ({ bytes: await blocks.size(cid) }), reserve: async () => {} };
});

const change = (edit: (tree: FileTree) => Promise<void>) => mfs.change('ann', session, edit);
const bytes = (text: string | Uint8Array) => ({ bytes: Buffer.from(text) });
const put = (at: string, text: string, options = {}) =>
  change((tree) => writeFile(tree, path(at), bytes(text), { create: true, parents: true, truncate: true, ...options }));
const readCid = async (cid: CID) => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of catFile(blocks, cid)) chunks.push(chunk);
  return Buffer.concat(chunks);
};
const read = async (at: string) => `${await readCid(await (await mfs.tree('ann')).lookup(path(at)))}`;
const stat = async (at: string) => statNode(blocks, await (await mfs.tree('ann')).lookup(path(at)));
const names = async (at: string) => {
  const found: string[] = [];
  const tree = await mfs.tree('ann');
  for await (const { name } of listDirectory(tree.blocks, await tree.lookup(path(at)))) found.push(name);
  return found.sort();
};

test('an account without files has the empty directory, of which nothing is stored', async () => {
  expect((await mfs.tree('ann')).root.toString()).toBe(emptyCid);
  expect(await names('/')).toEqual([]);
  expect((await blocks.stats()).blocks).toBe(0);
});

test('a change is seen when it is done, counts for its account, and leaves others alone', async () => {
  await put('/a/b/file', 'content');
  expect(await read('/a/b/file')).toBe('content');
  expect(await mfs.usage('ann')).toBe((await stat('/')).dagSize);
  expect(await mfs.recount('ann')).toBe(await mfs.usage('ann'));
  expect(await mfs.usage('bob')).toBe(0);
  await change((tree) => remove(tree, path('/a'), { recursive: true }));
  expect((await mfs.tree('ann')).root.toString()).toBe(emptyCid);
});

test('what throws in the middle changes nothing', async () => {
  await put('/kept', 'content');
  const before = roots.get('ann');
  const failing = change(async (tree) => {
    await remove(tree, path('/kept'));
    throw new Error('in the middle');
  });
  await expect(failing).rejects.toThrow('in the middle');
  session = { ...session, reserve: () => Promise.reject(new Error('over the quota')) };
  await expect(put('/more', 'content')).rejects.toThrow('over the quota');
  expect(roots.get('ann')).toBe(before);
});

test('changes at once all happen, in one process and in two', async () => {
  const other = new Mfs({ roots: store, blocks });
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      (n % 2 ? mfs : other).change('ann', session, async (tree) => {
        // Time for the other one to be faster.
        await new Promise((resolve) => setTimeout(resolve, n % 3));
        await writeFile(tree, path(`/dir/${n}`), bytes(`${n}`), { create: true, parents: true });
      }),
    ),
  );
  expect(await names('/dir')).toHaveLength(20);
});

test('an error of a state that another process has replaced meanwhile is not told', async () => {
  let looks = 0;
  await mfs.change('ann', session, async (tree) => {
    if (looks++ === 0) {
      await new Mfs({ roots: store, blocks }).change('ann', session, (now) => now.makeDirectory(path('/made')));
      await tree.lookup(path('/made'));
    }
    await tree.lookup(path('/made'));
  });
  expect(looks).toBe(2);
});

describe('files', () => {
  test('are laid out as Kubo does: their content in leaves, in the trickle layout', async () => {
    async function* content() {
      yield Buffer.alloc(600_000, 7);
    }
    const taken = await takeContent(content(), blocks, naming);
    await change((tree) => writeFile(tree, path('/f'), taken, { create: true }));
    expect((await stat('/f')).cid.toString()).toBe(
      (await importFile(content(), blocks, { layout: 'trickle' })).cid.toString(),
    );
  });

  test('long content goes to blocks while it comes, and is written as it is asked for', async () => {
    async function* content() {
      for (let n = 0; n < 20; n++) yield Buffer.alloc(100_000, n);
    }
    const taken = await takeContent(content(), blocks, naming);
    expect('cid' in taken).toBe(true);
    await change((tree) => writeFile(tree, path('/f'), taken, { create: true }));
    expect((await stat('/f')).cid.toString()).toBe(
      (await importFile(content(), blocks, { layout: 'trickle' })).cid.toString(),
    );
    await change((tree) => writeFile(tree, path('/f'), taken, { offset: 5, naming: { cidVersion: 1 } }));
    const { fileSize, cid } = await stat('/f');
    expect([fileSize, cid.version]).toEqual([2_000_005, 1]);
  });

  test('take over the naming of the directory, unless told otherwise', async () => {
    await change((tree) => tree.makeDirectory(path('/v1'), { naming: { cidVersion: 1, hash: 'sha2-512' } }));
    await put('/v1/sub/file', 'x');
    expect((await stat('/v1/sub')).cid.multihash.code).toBe(0x13);
    expect((await stat('/v1/sub/file')).cid.multihash.code).toBe(0x13);
    await put('/v1/zero', 'x', { naming: { cidVersion: 0 } });
    expect((await stat('/v1/zero')).cid.version).toBe(0);
    await put('/blake', 'x', { naming: { hash: 'blake2b-256' } });
    expect((await stat('/blake')).cid.version).toBe(1);
  });

  test('keep mode and time when they are written again', async () => {
    await put('/f', 'one', { mode: 0o600, mtime: { seconds: 9 } });
    await put('/f', 'two');
    expect(await stat('/f')).toMatchObject({ mode: 0o600, mtime: { seconds: 9 }, fileSize: 3 });
    await change((tree) => touch(tree, path('/f'), { mtime: { seconds: 10 } }));
    await change((tree) => touch(tree, path('/new'), { mtime: { seconds: 11 } }));
    expect(await stat('/f')).toMatchObject({ mode: 0o600, mtime: { seconds: 10 } });
    expect(await stat('/new')).toMatchObject({ fileSize: 0, mtime: { seconds: 11 } });
  });

  test('begin with zeros where they are written at an offset', async () => {
    await put('/f', 'end', { offset: 4 });
    expect(await read('/f')).toBe('\0\0\0\0end');
  });

  test.each([
    ['/dir', {}, 'NOT_A_FILE'],
    ['/', { create: true }, 'NOT_A_FILE'],
    ['/none', { create: false, parents: false }, 'FILE_NOT_FOUND'],
    ['/none/file', { create: true, parents: false }, 'FILE_NOT_FOUND'],
    ['/file/below', { create: true }, 'NOT_A_DIRECTORY'],
  ])('are not written to %s with %j: %s', async (at, options, code) => {
    await put('/file', 'x');
    await change((tree) => tree.makeDirectory(path('/dir')));
    await expect(put(at, 'y', options)).rejects.toMatchObject({ code });
  });
});

describe('copy and move', () => {
  const copy = (from: string, to: string, options = {}) =>
    change(async (tree) => {
      const cid = await tree.lookup(path(from));
      await copyInto(tree, [{ cid, name: path(from).names.at(-1) ?? '', isOutside: false }], path(to), {
        session,
        ...options,
      });
    });
  const moved = (from: string, to: string) => change((tree) => move(tree, [path(from)], path(to)));

  beforeEach(async () => {
    await put('/a', 'of a');
    await put('/dir/b', 'of b');
  });

  test('to a new name, into a directory, over a file where asked', async () => {
    await copy('/a', '/c');
    await copy('/a', '/dir');
    await copy('/a', '/deep/er/', { parents: true });
    expect([await read('/c'), await read('/dir/a'), await read('/deep/er/a')]).toEqual(['of a', 'of a', 'of a']);
    await expect(copy('/dir/b', '/a')).rejects.toMatchObject({ code: 'ENTRY_EXISTS' });
    await copy('/dir/b', '/a', { force: true });
    expect(await read('/a')).toBe('of b');
  });

  test('moves files and directories', async () => {
    await moved('/dir', '/other');
    await moved('/a', '/other/');
    expect(await names('/')).toEqual(['other']);
    await moved('/other/a', '/other/b');
    expect(await read('/other/b')).toBe('of a');
    expect(await names('/other')).toEqual(['b']);
  });

  test.each([
    ['/', '/x', 'TREE_CHANGE_INVALID'],
    ['/dir', '/dir/b/x', 'NOT_A_DIRECTORY'],
    ['/dir', '/dir', 'TREE_CHANGE_INVALID'],
    ['/none', '/x', 'FILE_NOT_FOUND'],
    ['/a', '/none/x', 'FILE_NOT_FOUND'],
  ])('moving %s to %s: %s, and nothing is lost', async (from, to, code) => {
    await expect(moved(from, to)).rejects.toMatchObject({ code });
    expect([await read('/a'), await read('/dir/b')]).toEqual(['of a', 'of b']);
  });

  test('from outside takes in what is whole and honest about its size', async () => {
    async function* content() {
      yield Buffer.alloc(300_000, 1);
    }
    const { cid } = await importFile(content(), blocks, { cidVersion: 1 });
    const outside = (root: CID) =>
      change((tree) => copyInto(tree, [{ cid: root, name: 'x', isOutside: true }], path('/x'), { session }));
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

describe('the tree of the sharness test t0250-files-api.sh of Kubo', () => {
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
      'QmW3dMSU6VNd1mEdpk9S3ZYRuR1YwwoXjGaZhkyK6ru9YU',
      'QmPqWDEg7NoWRX8Y4vvYjZtmdg5umbfsTQ9zwNr12JoLmt',
    ],
    [
      'with CID version 1',
      { rawLeaves: true },
      { cidVersion: 1 as const },
      'QmageRWxC7wWjPv5p36NeAgBAiFdBHaNfxAehBSwzNech2',
      'zdj7WkEzPLNAr5TYJSQC8CFcBjLvWFfGdx6kaBrJXnBguwWeX',
    ],
  ])('%s', async (_, added, named, root, cats) => {
    const { rawLeaves: __, ...directories } = { rawLeaves: true, ...named };
    const { cid: foo } = await importFile(chunk('foo\n'), blocks, added);
    const source = { cid: foo, name: 'file1', isOutside: true };
    const write = (at: string, text: string, options = {}) =>
      change((tree) => writeFile(tree, path(at), bytes(text), { naming: named, ...options }));
    await change((tree) => tree.makeDirectory(path('/cats'), { naming: directories }));
    await change((tree) => copyInto(tree, [source], path('/cats/file1'), { session }));
    await change((tree) => tree.makeDirectory(path('/cats/this/is/a'), { parents: true, naming: directories }));
    await write('/cats/ipfs', 'ipfs rocks\n', { create: true });
    await write('/cats/ipfs', 'is super cool\n', { offset: 5 });
    await write('/cats/walrus', 'testing\n', { create: true });
    expect((await stat('/cats')).cid.equals(parseCid(cats))).toBe(true);
    expect((await stat('/')).cid.equals(parseCid(root))).toBe(true);
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

  test.each(['', 'x', 'u+q', '99', 'u+x,,', '+x'.repeat(3)])('refuses %j', (text) => {
    expect(() => parseModeChange(text)).toThrow(/expected octal digits/);
  });

  test('go down a tree', async () => {
    await put('/dir/sub/file', 'x', { mode: 0o600 });
    await change((tree) => changeMode(tree, path('/dir'), parseModeChange('go+rX'), { recursive: true }));
    expect([(await stat('/dir')).mode, (await stat('/dir/sub/file')).mode]).toEqual([0o55, 0o644]);
  });
});

test.each(['', 'a', 'a/b', `/${'a/'.repeat(300)}`, `/${'x'.repeat(2000)}`])('refuses the path %j', (text) => {
  expect(() => path(text)).toThrow(expect.objectContaining({ code: 'PATH_INVALID' }));
});

test('resolves relative names and doubled slashes in paths', () => {
  expect([path('//a/./b/../c/').text, path('/../..').text, path('/a/').isInto]).toEqual(['/a/c', '/', true]);
});

const name = fc.constantFrom('a', 'b', 'c');
const arbitraryPath = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`);
const step = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), at: arbitraryPath, text: fc.string({ maxLength: 40 }) }),
  fc.record({ kind: fc.constant('mkdir' as const), at: arbitraryPath }),
  fc.record({ kind: fc.constant('rm' as const), at: arbitraryPath }),
  fc.record({ kind: fc.constant('mv' as const), at: arbitraryPath, to: arbitraryPath }),
);

/** Paths of a plain model: a text for a file, `undefined` for a directory. */
type Model = Map<string, string | undefined>;
const within = (model: Model, at: string) => [...model.keys()].filter((key) => key === at || key.startsWith(`${at}/`));

/** Files as the tree writes them, for an import that must give the same root. */
async function fileOf(text: string): Promise<CID> {
  return (await editFile(blocks, undefined, chunk(text))).cid;
}

test('behaves as a plain tree would, plain and sharded, and its root is the one of a tree made anew', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.constantFrom(1, 262_144), async (steps, shardBytes) => {
      roots.clear();
      mfs = new Mfs({ roots: store, blocks, shardBytes });
      const model: Model = new Map();
      for (const one of steps) {
        const before = [...model];
        await change(async (tree) => {
          const into = [...Array(one.at.split('/').length - 2).keys()].map((n) =>
            one.at
              .split('/')
              .slice(0, n + 2)
              .join('/'),
          );
          if (one.kind === 'write') {
            await writeFile(tree, path(one.at), bytes(one.text), { create: true, parents: true, truncate: true });
            for (const directory of into) model.set(directory, undefined);
            model.set(one.at, one.text);
          } else if (one.kind === 'mkdir') {
            await tree.makeDirectory(path(one.at), { parents: true });
            for (const directory of [...into, one.at]) model.set(directory, undefined);
          } else if (one.kind === 'rm') {
            await remove(tree, path(one.at), { recursive: true });
            for (const key of within(model, one.at)) model.delete(key);
          } else {
            await move(tree, [path(one.at)], path(one.to));
            const isInto = model.has(one.to) && model.get(one.to) === undefined;
            const target = isInto ? `${one.to}/${one.at.split('/').at(-1)}` : one.to;
            if (target === one.at) return;
            const movedPaths = within(model, one.at).map((key) => [key, model.get(key)] as const);
            for (const [key] of movedPaths) model.delete(key);
            for (const [key, text] of movedPaths) model.set(target + key.slice(one.at.length), text);
          }
        }).catch((error: { code?: string }) => {
          // Refused: then nothing has changed, and the model shows why.
          expect(error.code).toMatch(/^(FILE_NOT_FOUND|NOT_A_DIRECTORY|NOT_A_FILE|ENTRY_EXISTS|TREE_CHANGE_INVALID)$/);
          model.clear();
          for (const [key, text] of before) model.set(key, text);
        });
      }
      const again = new Mfs({
        roots: { ...store, get: async () => undefined, swap: async () => true },
        blocks,
        shardBytes,
      });
      const sorted = [...model].sort(([a], [b]) => (a < b ? -1 : 1));
      const root = await again.change('again', session, async (tree) => {
        for (const [key, text] of sorted) {
          if (text === undefined) await tree.makeDirectory(path(key));
          else await tree.put(path(key), await fileOf(text));
        }
      });
      expect((await mfs.tree('ann')).root.toString()).toBe(root.toString());
    }),
    { numRuns: 60 },
  );
});

async function* chunk(text: string) {
  yield Buffer.from(text);
}
