import type { Blockstore, ReadOptions } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { importDirectory } from '@cairn/unixfs';
import { TreeBusyError } from './errors.ts';
import { dagSizeOf, FileTree, type ShardingOptions } from './file-tree.ts';
import type { RootStore } from './root-store.ts';

/**
 * Write session that protects what it writes and touches from garbage collection. `WriteSession` of `@cairn/pinning` is
 * one.
 */
export interface TreeWriteSession {
  readonly store: Pick<Blockstore, 'get' | 'size' | 'putMany' | 'sync'>;
  /** Requires that a whole DAG is in the store, and protects it while the session lasts. */
  touch(root: CID): Promise<{ readonly bytes: number }>;
  /** Refuses early if the account lacks quota. Without it, `reserve` refuses later. @throws QUOTA_EXCEEDED */
  assertQuota?(bytes: number): Promise<void>;
  /** Reserves additional bytes of the account's quota. @throws QUOTA_EXCEEDED */
  reserve(bytes: number): Promise<void>;
  /** See `WriteSession` of `@cairn/pinning`. Absent where the blocks of the session need no protection. */
  readonly fence?: string | undefined;
  /** Verifies that no collection can have removed blocks of the session. @throws HOLD_LOST */
  confirm?(): Promise<void>;
}

export interface MfsOptions extends ShardingOptions {
  readonly roots: RootStore;
  /** Verified store for reads. */
  readonly blocks: Pick<Blockstore, 'get' | 'size'>;
}

const attemptsMax = 100;
const readOnly = async () => {
  throw new TypeError('a tree opened for reading cannot be written');
};

/**
 * Mutable file tree per account: a root CID and the UnixFS directories below it. A change is atomic, and durable when it
 * resolves. Readers see the tree before or after it.
 */
export class Mfs {
  readonly #roots: RootStore;
  readonly #blocks: Pick<Blockstore, 'get' | 'size'>;
  readonly #sharding: ShardingOptions;
  /** Last change of each account. Changes of one process run one after the other, so that they do not conflict. */
  readonly #last = new Map<string, Promise<unknown>>();

  constructor({ roots, blocks, ...sharding }: MfsOptions) {
    this.#roots = roots;
    this.#blocks = blocks;
    this.#sharding = sharding;
  }

  /** Returns the current tree of an account, for reading. */
  async tree(account: string, options: ReadOptions = {}): Promise<FileTree> {
    const empty = await emptyDirectory();
    const root = (await this.#roots.get(account))?.cid ?? empty.cid;
    const blocks = this.#blocks;
    // The empty directory can be read although it is not stored.
    const get: Blockstore['get'] = async (cid, readOptions) =>
      cid.equals(empty.cid) ? empty.bytes : await blocks.get(cid, readOptions);
    return new FileTree(
      root,
      { get, size: (cid) => blocks.size(cid), putMany: readOnly },
      { ...this.#sharding, ...options },
    );
  }

  /**
   * Changes the tree of an account. If another process changes it at the same time, `change` runs again over the new tree.
   * If `change` throws, the tree stays unchanged.
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
        // Blocks are durable before the root: a crash between the two leaves blocks without a root, never a root without
        // blocks.
        await session.store.sync();
        await session.confirm?.();
        const { fence } = session;
        if (await this.#roots.swap(account, before?.cid, { cid: tree.root, bytes }, { fence })) return tree.root;
        await session.confirm?.();
      } catch (error) {
        // Retries only if another process has replaced the root, since its blocks may have been collected meanwhile.
        const now = await this.#roots.get(account);
        const isReplaced = now?.cid.toString() !== before?.cid.toString();
        if (!isReplaced && isCairnError(error, 'BLOCK_NOT_FOUND')) await session.confirm?.();
        if (!isReplaced || attempt === attemptsMax - 1) throw error;
      }
    }
    throw new TreeBusyError();
  }

  /** Returns the bytes of an account's tree, as stored with its root. */
  usage(account: string): Promise<number> {
    return this.#roots.bytesOf(account);
  }

  /** Computes the bytes again from the root. The result always equals {@link usage}. */
  async recount(account: string): Promise<number> {
    const root = await this.#roots.get(account);
    return root ? await dagSizeOf(this.#blocks, root.cid) : 0;
  }
}

let empty: Promise<{ readonly cid: CID; readonly bytes: Uint8Array }> | undefined;

/** Returns the empty directory, `QmUNLLsPACCz1vLxQVkXqqLX5R1X345qqfHbsf67hvA3Nn`. */
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
