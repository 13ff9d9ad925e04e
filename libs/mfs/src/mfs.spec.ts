import { importFile } from '@cairn/unixfs';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { changeMode, Mfs, parseTreePath as path, receiveContent, remove, touch, writeFile } from './index.ts';
import { bytesOf, createTreeFixture } from './tree.fixture.ts';

const emptyCid = 'QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn';
const naming = { cidVersion: 0, hash: 'sha2-256' } as const;
let fixture: ReturnType<typeof createTreeFixture>;
let blocks: typeof fixture.blocks;
let roots: typeof fixture.roots;
let store: typeof fixture.store;
let mfs: typeof fixture.mfs;
let session: typeof fixture.session;
let change: typeof fixture.change;
let put: typeof fixture.put;
let read: typeof fixture.read;
let stat: typeof fixture.stat;
let names: typeof fixture.names;

beforeEach(() => {
  fixture = createTreeFixture();
  ({ blocks, roots, store, mfs, session, change, put, read, stat, names } = fixture);
});

test('an account without files has the empty directory, which is not stored', async () => {
  expect((await mfs.tree('ann')).root.toString()).toBe(emptyCid);
  expect(await names('/')).toEqual([]);
  expect((await blocks.stats()).blocks).toBe(0);
});

test('a change is visible when it resolves, counts for its account, and leaves others unchanged', async () => {
  await put('/a/b/file', 'content');
  expect(await read('/a/b/file')).toBe('content');
  expect(await mfs.usage('ann')).toBe((await stat('/')).dagSize);
  expect(await mfs.recount('ann')).toBe(await mfs.usage('ann'));
  expect(await mfs.usage('bob')).toBe(0);
  await change((tree) => remove(tree, path('/a'), { recursive: true }));
  expect((await mfs.tree('ann')).root.toString()).toBe(emptyCid);
});

test('a change that throws changes nothing', async () => {
  await put('/kept', 'content');
  const before = roots.get('ann');
  const failing = change(async (tree) => {
    await remove(tree, path('/kept'));
    throw new Error('in the middle');
  });
  await expect(failing).rejects.toThrow('in the middle');
  const full = { ...session, reserve: () => Promise.reject(new Error('over the quota')) };
  const more = change((tree) => writeFile(tree, path('/more'), bytesOf('content'), { create: true }), full);
  await expect(more).rejects.toThrow('over the quota');
  expect(roots.get('ann')).toBe(before);
});

test('concurrent changes are all applied, in one process and in two', async () => {
  const other = new Mfs({ roots: store, blocks });
  await Promise.all(
    Array.from({ length: 20 }, (_, n) =>
      (n % 2 ? mfs : other).change('ann', session, async (tree) => {
        // Gives the other process time to be faster.
        await new Promise((resolve) => setTimeout(resolve, n % 3));
        await writeFile(tree, path(`/dir/${n}`), bytesOf(`${n}`), { create: true, parents: true });
      }),
    ),
  );
  expect(await names('/dir')).toHaveLength(20);
});

test('an error caused by a concurrently replaced state is not reported', async () => {
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
  test('have the layout of Kubo: content in leaves, in the trickle layout', async () => {
    async function* content() {
      yield Buffer.alloc(600_000, 7);
    }
    const taken = await receiveContent(content(), blocks, naming);
    await change((tree) => writeFile(tree, path('/f'), taken, { create: true }));
    expect((await stat('/f')).cid.toString()).toBe(
      (await importFile(content(), blocks, { layout: 'trickle' })).cid.toString(),
    );
  });

  test('long content is written to blocks while it arrives', async () => {
    async function* content() {
      for (let n = 0; n < 20; n++) yield Buffer.alloc(100_000, n);
    }
    const taken = await receiveContent(content(), blocks, naming);
    expect('cid' in taken).toBe(true);
    await change((tree) => writeFile(tree, path('/f'), taken, { create: true }));
    expect((await stat('/f')).cid.toString()).toBe(
      (await importFile(content(), blocks, { layout: 'trickle' })).cid.toString(),
    );
    await change((tree) => writeFile(tree, path('/f'), taken, { offset: 5, naming: { cidVersion: 1 } }));
    const { fileSize, cid } = await stat('/f');
    expect([fileSize, cid.version]).toEqual([2_000_005, 0]);
  });

  test('have the CID version and hash function of the options, not those of the parent', async () => {
    await change((tree) => tree.makeDirectory(path('/v1'), { naming: { cidVersion: 1, hash: 'sha2-512' } }));
    await put('/v1/sub/file', 'x');
    const versions = [(await stat('/v1')).cid.version, (await stat('/v1/sub')).cid.version];
    expect([...versions, (await stat('/v1/sub/file')).cid.version]).toEqual([1, 0, 0]);
    await put('/v1/one', 'x', { naming: { cidVersion: 1 } });
    expect((await stat('/v1/one')).cid.toString()).toBe('bafkreibnoelefnzgwbcacyt4vh52ymxvzbjq7mmqhtcnwarfq4lzegsiqe');
    await put('/blake', 'x', { naming: { hash: 'blake2b-256' } });
    expect((await stat('/blake')).cid.version).toBe(1);
    // An existing file keeps its own.
    await put('/v1/one', 'y', { naming: { cidVersion: 0 } });
    expect((await stat('/v1/one')).cid.version).toBe(1);
  });

  test('keep their mode when they are written again, and get the time of the change if they had one', async () => {
    await put('/f', 'one');
    await change((tree) => changeMode(tree, path('/f'), () => 0o600));
    await put('/f', 'two');
    expect(await stat('/f')).toMatchObject({ mode: 0o600, fileSize: 3 });
    await change((tree) => touch(tree, path('/f'), { seconds: 10 }));
    expect(await stat('/f')).toMatchObject({ mode: 0o600, mtime: { seconds: 10 } });
    await put('/f', 'three');
    expect((await stat('/f')).mtime?.seconds).toBeGreaterThan(1_700_000_000);
    const missing = change((tree) => touch(tree, path('/none'), { seconds: 11 }));
    await expect(missing).rejects.toMatchObject({ code: 'FILE_NOT_FOUND' });
  });

  test('start with zeros if they are written at an offset', async () => {
    await put('/f', 'end', { offset: 4 });
    expect(await read('/f')).toBe('\0\0\0\0end');
  });

  test.each([
    ['/dir', {}, 'NOT_A_FILE'],
    ['/', { create: true }, 'NOT_A_FILE'],
    ['/none', { create: false, parents: false }, 'FILE_NOT_FOUND'],
    ['/none/file', { create: true, parents: false }, 'FILE_NOT_FOUND'],
    ['/file/below', { create: true, parents: false }, 'NOT_A_DIRECTORY'],
    ['/file/below', { create: true }, 'ENTRY_EXISTS'],
    ['/new/', { create: true, parents: false }, 'FILE_NOT_FOUND'],
  ])('are not written to %s with %j: %s', async (at, options, code) => {
    await put('/file', 'x');
    await change((tree) => tree.makeDirectory(path('/dir')));
    await expect(put(at, 'y', options)).rejects.toMatchObject({ code });
  });
});

test.each(['', 'a', 'a/b', `/${'a/'.repeat(300)}`, `/${'x'.repeat(2000)}`])('refuses the path %j', (text) => {
  expect(() => path(text)).toThrow(expect.objectContaining({ code: 'PATH_INVALID' }));
});

test('resolves relative names and doubled slashes in paths', () => {
  expect([path('//a/./b/../c/').text, path('/../..').text, path('/a/').isInto]).toEqual(['/a/c/', '/', true]);
});
