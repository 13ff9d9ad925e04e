import type { CID } from '@cairn/cid';
import { editFile } from '@cairn/unixfs';
import { beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { Mfs, move, parseTreePath as path, remove, writeFile } from './index.ts';
import { bytesOf, chunkOf, createTreeFixture } from './tree.fixture.ts';

let fixture: ReturnType<typeof createTreeFixture>;
let blocks: typeof fixture.blocks;
let roots: typeof fixture.roots;
let store: typeof fixture.store;
let session: typeof fixture.session;

beforeEach(() => {
  fixture = createTreeFixture();
  ({ blocks, roots, store, session } = fixture);
});

const name = fc.constantFrom('a', 'b', 'c');
const arbitraryPath = fc.array(name, { minLength: 1, maxLength: 3 }).map((parts) => `/${parts.join('/')}`);
const step = fc.oneof(
  fc.record({ kind: fc.constant('write' as const), at: arbitraryPath, text: fc.string({ maxLength: 40 }) }),
  fc.record({ kind: fc.constant('mkdir' as const), at: arbitraryPath }),
  fc.record({ kind: fc.constant('rm' as const), at: arbitraryPath }),
  fc.record({ kind: fc.constant('mv' as const), at: arbitraryPath, to: arbitraryPath }),
);

/** Plain model of a tree: paths with a text for a file, `undefined` for a directory. */
type Model = Map<string, string | undefined>;
const within = (model: Model, at: string) => [...model.keys()].filter((key) => key === at || key.startsWith(`${at}/`));

/** Imports a file as the tree writes it, so that both have the same root. */
async function fileOf(text: string): Promise<CID> {
  return (await editFile(blocks, undefined, chunkOf(text))).cid;
}

test('a plain or sharded tree behaves like the model, and its root equals that of a new import', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), fc.constantFrom(1, 262_144), async (steps, shardBytes) => {
      roots.clear();
      const mfs = new Mfs({ roots: store, blocks, shardBytes });
      const model: Model = new Map();
      for (const one of steps) {
        const before = [...model];
        const change = mfs.change('ann', session, async (tree) => {
          const into = [...Array(one.at.split('/').length - 2).keys()].map((n) =>
            one.at
              .split('/')
              .slice(0, n + 2)
              .join('/'),
          );
          if (one.kind === 'write') {
            if (model.get(one.at) !== undefined) await remove(tree, path(one.at));
            await writeFile(tree, path(one.at), bytesOf(one.text), { create: true, parents: true });
            for (const directory of into) model.set(directory, undefined);
            model.set(one.at, one.text);
          } else if (one.kind === 'mkdir') {
            await tree.makeDirectory(path(one.at), { parents: true });
            for (const directory of [...into, one.at]) model.set(directory, undefined);
          } else if (one.kind === 'rm') {
            await remove(tree, path(one.at), { recursive: true });
            for (const key of within(model, one.at)) model.delete(key);
          } else {
            await move(tree, path(one.at), path(one.to));
            const isInto = model.has(one.to) && model.get(one.to) === undefined;
            const target = isInto ? `${one.to}/${one.at.split('/').at(-1)}` : one.to;
            if (target === one.at) return;
            const movedPaths = within(model, one.at).map((key) => [key, model.get(key)] as const);
            for (const [key] of movedPaths) model.delete(key);
            for (const [key, text] of movedPaths) model.set(target + key.slice(one.at.length), text);
          }
        });
        await change.catch((error: { code?: string }) => {
          // A refused change must not change anything; the comparison with the model shows it.
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
