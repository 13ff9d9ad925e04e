import type { Blockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import type { PinStore } from './pin-store.ts';
import type { RootSource } from './root-source.ts';
import { visitDag } from './walk-dag.ts';

/** Something that keeps blocks which an account has written. */
export interface RetainedRoot {
  readonly root: CID;
  /** `others`: only other accounts hold it, and have not walked it. */
  readonly by: 'pin' | 'source' | 'others';
  /** Its blocks, each once. @throws as `visitDag` */
  blocks(): AsyncIterable<CID>;
  /** Whether it is held at this moment. */
  isStillRetained(): Promise<boolean>;
}

/** All that keeps blocks which only this account has written: its pins and other roots, then what it has released to others. */
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
  // Read last: a pin that was released since the list began is here by now.
  for await (const { cid: root, mode, isPinned } of pins.released(account))
    if (isPinned)
      yield {
        root,
        by: 'others',
        blocks: below(root, mode),
        isStillRetained: () => pins.isPinned(mode, root),
      };
}
