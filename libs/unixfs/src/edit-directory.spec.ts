import { createMemoryBlockstore } from '@cairn/blockstore';
import { type CID, cidFor } from '@cairn/cid';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { addLink, type EditOptions, importDirectory, importFile, type PbLink, readNode, removeLink } from './index.ts';

const leafOf = (text: string): CID => cidFor(Buffer.from(text), { codec: 'raw' });
const inlined = cidFor(Buffer.from('tiny'), { codec: 'raw', hash: 'identity' });
const entry = (name: string, cid = leafOf(name)): PbLink => ({ cid, name, tsize: cid.bytes.length });

const edits = fc.array(
  fc.record({
    name: fc.integer({ min: 0, max: 40 }).map((index) => `n${index}`),
    kind: fc.constantFrom('add', 'small', 'remove'),
  }),
  { maxLength: 60 },
);
const optionSets = fc.constantFrom<EditOptions>(
  {},
  { shardBytes: 1 },
  { shardBytes: 400 },
  { shardBytes: 400, shardFanout: 8 },
  { shardBytes: 600, shardEstimation: 'block' },
  { directoryLinksMax: 5 },
  { shardEstimation: 'disabled', directoryLinksMax: 5 },
);

describe('addLink and removeLink', () => {
  test('return the same directory as writing the same entries in one import', async () => {
    await fc.assert(
      fc.asyncProperty(edits, optionSets, async (steps, options) => {
        const store = createMemoryBlockstore();
        const model = new Map<string, PbLink>();
        let { cid } = await importDirectory([], store, { ...options, cidVersion: 1, mode: 0o750 });
        for (const { name, kind } of steps) {
          if (kind === 'remove' && !model.has(name)) {
            await expect(removeLink(store, cid, name, options)).rejects.toMatchObject({ code: 'LINK_NOT_FOUND' });
            continue;
          }
          if (kind === 'remove') model.delete(name);
          else model.set(name, kind === 'small' ? entry(name, inlined) : entry(name));
          const link = model.get(name);
          const result = link ? await addLink(store, cid, link, options) : await removeLink(store, cid, name, options);
          const fresh = { ...options, cidVersion: 1 as const, mode: 0o750 };
          const expected = await importDirectory([...model.values()], createMemoryBlockstore(), fresh);
          expect([result.cid.toString(), result.dagSize]).toEqual([expected.cid.toString(), expected.dagSize]);
          cid = result.cid;
        }
      }),
      { numRuns: 60 },
    );
  });

  test('merge a shard with one remaining entry into its parent', async () => {
    const store = createMemoryBlockstore();
    const options = { cidVersion: 1 as const, shardBytes: 1, shardFanout: 8 };
    let left = Array.from({ length: 24 }, (_, index) => entry(`name-${index}`));
    let { cid } = await importDirectory(left, store, options);
    while (left.length > 1) {
      const [gone, ...others] = left;
      left = others;
      cid = (await removeLink(store, cid, gone?.name ?? '', options)).cid;
      expect(cid.toString()).toBe((await importDirectory(left, store, options)).cid.toString());
    }
  });

  test('return to a plain directory when a shorter CID brings the size down to the threshold', async () => {
    const store = createMemoryBlockstore();
    const options = { cidVersion: 1 as const, shardBytes: 2 * leafOf('a').bytes.length + 1 };
    const { cid } = await importDirectory([entry('a'), entry('b')], store, options);
    expect((await readNode(store, cid)).type).toBe('hamt-sharded-directory');
    const same = await addLink(store, cid, entry('a', leafOf('another')), options);
    expect((await readNode(store, same.cid)).type).toBe('hamt-sharded-directory');
    const shorter = await addLink(store, cid, entry('a', inlined), options);
    expect((await readNode(store, shorter.cid)).type).toBe('directory');
  });

  test('read and write only the shards on the path to the entry', async () => {
    const store = createMemoryBlockstore();
    const many = Array.from({ length: 5000 }, (_, index) => entry(`file-${index}`));
    const { cid } = await importDirectory(many, store, { cidVersion: 1, shardBytes: 1000 });
    let calls = 0;
    const counting = {
      get: (...args: Parameters<typeof store.get>) => {
        calls++;
        return store.get(...args);
      },
      putMany: async (blocks: Parameters<typeof store.putMany>[0]) => {
        calls += blocks.length;
        await store.putMany(blocks);
      },
    };
    await addLink(counting, cid, entry('one more'), { shardBytes: 1000 });
    await removeLink(counting, cid, 'file-7', { shardBytes: 1000 });
    expect(calls).toBeLessThan(24);
  });

  test('keep the CID version and the hash function of the directory', async () => {
    const store = createMemoryBlockstore();
    for (const options of [{}, { cidVersion: 1 as const }, { hash: 'blake3' }]) {
      const { cid } = await importDirectory([], store, options);
      const edited = await addLink(store, cid, entry('a'));
      expect([edited.cid.version, edited.cid.multihash.code]).toEqual([cid.version, cid.multihash.code]);
      expect((await removeLink(store, edited.cid, 'a')).cid.equals(cid)).toBe(true);
      expect((await readNode(store, edited.cid)).links).toHaveLength(1);
    }
  });

  test('refuse files, and names that cannot be entries', async () => {
    const store = createMemoryBlockstore();
    async function* content() {
      yield Buffer.from('x');
    }
    const file = await importFile(content(), store);
    await expect(addLink(store, file.cid, entry('a'))).rejects.toMatchObject({ code: 'NOT_A_DIRECTORY' });
    const { cid } = await importDirectory([], store);
    for (const name of ['', '.', '..', 'a/b']) {
      await expect(addLink(store, cid, entry(name))).rejects.toMatchObject({ code: 'OPTION_INVALID' });
    }
    await expect(removeLink(store, cid, 'a')).rejects.toMatchObject({ code: 'LINK_NOT_FOUND' });
  });
});
