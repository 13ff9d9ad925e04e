import type { Blockstore, Claims } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import type { ClaimSet } from './claim-set.ts';
import { walkDag } from './walk-dag.ts';

/** Blocks that one statement claims. */
const claimsPerBatch = 8192;

/** Ends claims on DAGs that a root retains now. Claims that the set could not remember are found by another walk. */
export async function unclaimDags(
  { blocks, collectable }: { readonly blocks: Blockstore; readonly collectable: Claims },
  owner: number,
  claims: ClaimSet,
  roots: readonly CID[],
): Promise<void> {
  if (claims.size === 0) return;
  const { cids } = claims;
  if (cids !== undefined) return await collectable.unclaimMany(cids, owner);
  const touchMany = async (batch: readonly CID[]) => {
    await collectable.unclaimMany(batch, owner);
    return [];
  };
  for (const root of roots) await walkDag(blocks, root, { touchMany });
}

/** Counts all leftovers of an account as claims. They include the spilled blocks of the session that calls it. */
export async function claimLeftovers(collectable: Claims, owner: number): Promise<void> {
  let batch: CID[] = [];
  const flush = async () => {
    if (batch.length > 0) await collectable.claimMany(batch, owner);
    batch = [];
  };
  for await (const { cid, isCounted } of collectable.claims(owner))
    if (!isCounted && batch.push(cid) >= claimsPerBatch) await flush();
  await flush();
}
