import { createMemoryBlockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { catFile, listDirectory, statNode } from '@cairn/unixfs';
import {
  type FileTree,
  Mfs,
  parseTreePath,
  type RootStore,
  type TreeRoot,
  type TreeWriteSession,
  type WriteFileOptions,
  writeFile,
} from './index.ts';

/** Creates a tree in memory for the account `ann`, with short functions to change and read it. */
export function createTreeFixture() {
  const blocks = createMemoryBlockstore();
  const roots = new Map<string, TreeRoot>();
  const store: RootStore = {
    get: async (account) => roots.get(account),
    swap: async (account, before, next) => {
      if (roots.get(account)?.cid.toString() !== before?.toString()) return false;
      roots.set(account, next);
      return true;
    },
    async *roots() {
      for (const { cid } of roots.values()) yield cid;
    },
    async assertConsistent() {},
    async *rootsOf(account) {
      const root = roots.get(account);
      if (root) yield root.cid;
    },
    bytesOf: async (account) => roots.get(account)?.bytes ?? 0,
    async *formerRootsOf() {},
    forgetFormerRoots: async () => {},
    close: async () => {},
  };
  const mfs = new Mfs({ roots: store, blocks });
  const session: TreeWriteSession = {
    store: blocks,
    touch: async (cid) => ({ bytes: await blocks.size(cid) }),
    reserve: async () => {},
  };
  const change = (edit: (tree: FileTree) => Promise<void>, changing = session) => mfs.change('ann', changing, edit);
  const put = (at: string, text: string, options: WriteFileOptions = {}) =>
    change((tree) =>
      writeFile(tree, parseTreePath(at), bytesOf(text), { create: true, parents: true, truncate: true, ...options }),
    );
  const lookup = async (at: string) => await (await mfs.tree('ann')).lookup(parseTreePath(at));
  const readCid = async (cid: CID) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of catFile(blocks, cid)) chunks.push(chunk);
    return Buffer.concat(chunks);
  };
  const names = async (at: string) => {
    const found: string[] = [];
    const tree = await mfs.tree('ann');
    for await (const { name } of listDirectory(tree.blocks, await lookup(at))) found.push(name);
    return found.sort();
  };
  return {
    blocks,
    roots,
    store,
    mfs,
    session,
    change,
    put,
    read: async (at: string) => `${await readCid(await lookup(at))}`,
    stat: async (at: string) => statNode(blocks, await lookup(at)),
    names,
  };
}

export function bytesOf(text: string | Uint8Array) {
  return { bytes: Buffer.from(text) };
}

export async function* chunkOf(text: string) {
  yield Buffer.from(text);
}
