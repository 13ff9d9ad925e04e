import type { Blockstore, Collectable } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import type { ClaimSet } from './claim-set.ts';
import { QuotaExceededError } from './errors.ts';
import { type DagSize, nodeKey, type WalkOptions, walkDag } from './walk-dag.ts';
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
  /** Lengths of touched blocks without links, until the walk visits them. */
  const lengths = new Map<string, number>();
  return walkDag(blocks, root, {
    leafBytes: (cid) => {
      const written = leafBytes?.(cid);
      if (written !== undefined || lengths.size === 0) return written;
      const key = nodeKey(cid);
      const length = lengths.get(key);
      lengths.delete(key);
      return length;
    },
    ...(onProgress && { onProgress }),
    ...(signal && { signal }),
    touchMany: async (cids) => {
      claims.add(await collectable.claimsAmong(cids, owner));
      const missing = await touchMany(cids);
      if (collectable.leafLengths === undefined) return missing;
      const unknown = cids.filter((cid) => leafBytes?.(cid) === undefined);
      const found = await collectable.leafLengths(unknown);
      for (const [index, cid] of unknown.entries()) {
        const length = found[index];
        if (length !== undefined) lengths.set(nodeKey(cid), length);
      }
      return missing;
    },
    onBytes: (bytes) => {
      if (room && bytes > 0 && room.usedBytes + bytes > room.quotaBytes)
        throw new QuotaExceededError(room.usedBytes, bytes, room.quotaBytes);
    },
  });
}
