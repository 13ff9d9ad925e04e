import type { Blockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import type { PinStore } from './pin-store.ts';
import type { RootSource } from './root-source.ts';
import { visitDag } from './walk-dag.ts';

/** A root that keeps blocks of an account. */
export interface RetainedRoot {
  readonly root: CID;
  /** `others`: the account has released the root, and another account has pinned it without a walk. */
  readonly by: 'pin' | 'source' | 'others';
  /** Streams the blocks of the DAG, each once. @throws as `visitDag` */
  blocks(): AsyncIterable<CID>;
  /** Reports whether the root is retained at this moment. */
  isStillRetained(): Promise<boolean>;
}

/** Streams all roots that keep blocks of an account: its pins, its root sources, then released roots that others have pinned. */
export async function* retainedRoots(
  {
    blocks,
    pins,
    sources,
  }: { readonly blocks: Blockstore; readonly pins: PinStore; readonly sources: readonly RootSource[] },
  account: string,
  signal?: AbortSignal,
): AsyncGenerator<RetainedRoot> {
  const below = (root: CID, mode: 'recursive' | 'direct') =>
    async function* () {
      if (mode === 'direct') yield root;
      else for await (const { cid } of visitDag(blocks, root, signal ? { signal } : {})) yield cid;
    };
  for await (const { cid: root, mode } of pins.list(account))
    yield {
      root,
      by: 'pin',
      blocks: below(root, mode),
      isStillRetained: async () => (await pins.get(account, root))?.mode === mode,
    };
  for (const source of sources)
    for await (const root of source.rootsOf?.(account) ?? [])
      yield {
        root,
        by: 'source',
        blocks: below(root, 'recursive'),
        isStillRetained: async () => {
          for await (const other of source.rootsOf?.(account) ?? []) if (other.equals(root)) return true;
          return false;
        },
      };
  // Read last, so that it includes pins that were released during the walk.
  for await (const { cid: root, mode, isPinned } of pins.released(account))
    if (isPinned)
      yield {
        root,
        by: 'others',
        blocks: below(root, mode),
        isStillRetained: () => pins.isPinned(mode, root),
      };
}
