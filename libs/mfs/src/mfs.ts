import type { Blockstore, ReadOptions } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { importDirectory } from '@cairn/unixfs';
import { TreeBusyError } from './errors.ts';
import { dagSizeOf, FileTree, type ShardingOptions } from './file-tree.ts';
import type { RootStore } from './root-store.ts';

/** A piece of writing that keeps what it writes and touches from collection; `WriteSession` of `@cairn/pinning` is one. */
export interface TreeWriteSession {
  readonly store: Pick<Blockstore, 'get' | 'size' | 'putMany' | 'sync'>;
  /** Makes sure that a whole DAG is here and keeps it while the session lasts. */
  touch(root: CID): Promise<{ readonly bytes: number }>;
  /** Refuses early what the account has no room for; without it, `reserve` does later. @throws QUOTA_EXCEEDED */
  assertQuota?(bytes: number): Promise<void>;
  /** Makes sure that the account may hold this many bytes more. @throws QUOTA_EXCEEDED */
  reserve(bytes: number): Promise<void>;
}

export interface MfsOptions extends ShardingOptions {
  readonly roots: RootStore;
  /** For reading: a verified store. */
  readonly blocks: Pick<Blockstore, 'get' | 'size'>;
}

const attemptsMax = 100;
const readOnly = async () => {
  throw new TypeError('a tree that is only read was written to');
};

/**
 * A mutable file tree for each account: a root CID and the UnixFS directories below it. A change is whole or absent, and
 * durable when it resolves; readers see the tree before or after it.
 */
export class Mfs {
  readonly #roots: RootStore;
  readonly #blocks: Pick<Blockstore, 'get' | 'size'>;
  readonly #sharding: ShardingOptions;
  /** The last change of each account, so that those of one process wait for each other and do not collide. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor({ roots, blocks, ...sharding }: MfsOptions) {
    this.#roots = roots;
    this.#blocks = blocks;
    this.#sharding = sharding;
  }

  /** The tree of an account as it is now, for reading. */
  async tree(account: string, options: ReadOptions = {}): Promise<FileTree> {
    const empty = await emptyDirectory();
    const root = (await this.#roots.get(account))?.cid ?? empty.cid;
    const blocks = this.#blocks;
    // The empty directory need not be stored to be read.
    const get: Blockstore['get'] = async (cid, readOptions) =>
      cid.equals(empty.cid) ? empty.bytes : await blocks.get(cid, readOptions);
    return new FileTree(
      root,
      { get, size: (cid) => blocks.size(cid), putMany: readOnly },
      { ...this.#sharding, ...options },
    );
  }

  /**
   * Changes the tree of an account. `change` may run again, over a newer tree, when another process was faster; what it
   * throws leaves the tree as it was.
   * @returns the new root
   * @throws QUOTA_EXCEEDED, TREE_BUSY, what `change` throws
   */
  async change(
    account: string,
    session: TreeWriteSession,
    change: (tree: FileTree) => Promise<void>,
    options: ReadOptions = {},
  ): Promise<CID> {
    const previous = this.#last.get(account) ?? Promise.resolve();
    const mine = previous.then(() => this.#change(account, session, change, options));
    const settled = mine.then(
      () => {},
      () => {},
    );
    this.#last.set(account, settled);
    try {
      return await mine;
    } finally {
      if (this.#last.get(account) === settled) this.#last.delete(account);
    }
  }

  async #change(
    account: string,
    session: TreeWriteSession,
    change: (tree: FileTree) => Promise<void>,
    { signal }: ReadOptions,
  ): Promise<CID> {
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      signal?.throwIfAborted();
      const before = await this.#roots.get(account);
      try {
        const root = before?.cid ?? (await importDirectory([], session.store)).cid;
        const tree = new FileTree(root, session.store, { ...this.#sharding, ...(signal && { signal }) });
        await change(tree);
        if (before && tree.root.equals(before.cid)) return before.cid;
        const bytes = await dagSizeOf(session.store, tree.root);
        await session.reserve(Math.max(0, bytes - (before?.bytes ?? 0)));
        // The blocks first: a crash between the two leaves blocks without a root, never a root without blocks.
        await session.store.sync();
        if (await this.#roots.swap(account, before?.cid, { cid: tree.root, bytes })) return tree.root;
      } catch (error) {
        // What another process has replaced meanwhile may have been collected: only then is it right to look again.
        const now = await this.#roots.get(account);
        const isReplaced = now?.cid.toString() !== before?.cid.toString();
        if (!isReplaced || attempt === attemptsMax - 1) throw error;
      }
    }
    throw new TreeBusyError();
  }

  /** Bytes that the tree of an account counts, kept with its root. */
  usage(account: string): Promise<number> {
    return this.#roots.bytesOf(account);
  }

  /** Counts them anew from the root: what {@link usage} must equal at any time. */
  async recount(account: string): Promise<number> {
    const root = await this.#roots.get(account);
    return root ? await dagSizeOf(this.#blocks, root.cid) : 0;
  }
}

let empty: Promise<{ readonly cid: CID; readonly bytes: Uint8Array }> | undefined;

/** The empty directory, `QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn`. */
function emptyDirectory() {
  empty ??= (async () => {
    let bytes: Uint8Array = new Uint8Array(0);
    const { cid } = await importDirectory([], {
      putMany: async ([block]) => {
        if (block) ({ bytes } = block);
      },
    });
    return { cid, bytes };
  })();
  return empty;
}
