import type { Blockstore, Collectable } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import type { ClaimSet } from './claim-set.ts';
import { QuotaExceededError } from './errors.ts';
import { type DagSize, type WalkOptions, walkDag } from './walk-dag.ts';
import type { QuotaRoom } from './write-quota.ts';

export interface TouchDagOptions extends Pick<WalkOptions, 'leafBytes' | 'onProgress'> {
  /** Touches blocks of the session and resolves to the missing ones. */
  readonly touchMany: (cids: readonly CID[]) => Promise<readonly CID[]>;
  readonly owner: number;
  /** Receives the claims of the owner on blocks of the DAG. */
  readonly claims: ClaimSet;
  /** Ends the walk as soon as the DAG exceeds it. Default: no limit. */
  readonly room?: QuotaRoom | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Verifies that a DAG is complete, and touches its blocks. @throws QUOTA_EXCEEDED, and as {@link walkDag} */
export function touchDag(
  { blocks, collectable }: { readonly blocks: Blockstore; readonly collectable: Collectable },
  root: CID,
  { touchMany, owner, claims, room, signal, leafBytes, onProgress }: TouchDagOptions,
): Promise<DagSize> {
  return walkDag(blocks, root, {
    ...(leafBytes && { leafBytes }),
    ...(onProgress && { onProgress }),
    ...(signal && { signal }),
    touchMany: async (cids) => {
      claims.add(await collectable.claimsAmong(cids, owner));
      return await touchMany(cids);
    },
    onBytes: (bytes) => {
      if (room && bytes > 0 && room.usedBytes + bytes > room.quotaBytes)
        throw new QuotaExceededError(room.usedBytes, bytes, room.quotaBytes);
    },
  });
}
