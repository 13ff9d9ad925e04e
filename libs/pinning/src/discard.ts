import { setTimeout as wait } from 'node:timers/promises';
import { type DiscardResult, Slices } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { errorText } from '@cairn/errors';
import type { AccountStores } from './account-collection.ts';
import { isDagFault } from './dag-fault.ts';
import { disownLegacyBlocks } from './disown-legacy-blocks.ts';
import { ownerOf } from './owner.ts';
import { retainedRoots } from './retained-roots.ts';
import { blockKey } from './walk-dag.ts';

/** Result of discarding a block of an account. `reason` explains why the block stays. */
export type DiscardOutcome = 'discarded' | 'absent' | { readonly reason: string };

const retryMs = 50;
/** Maximum wait. It is longer than the 10 s between two renewals of the holds of other processes. */
const busyMsMax = 15_000;
const shared = {
  reason: 'another account has written or retains it; it is removed when no account retains it',
} as const;
const outcomeOf = {
  removed: 'discarded',
  absent: 'absent',
  shared,
  busy: { reason: 'a write of this account or a backup is in progress; retry after it has ended' },
} as const satisfies Record<DiscardResult, DiscardOutcome>;

/**
 * Removes blocks that an account has written and that no root and no other account can retain; see `Pinning.discard`. One walk
 * over the roots of the account serves all blocks.
 */
export async function discardBlocks(
  stores: AccountStores,
  account: string,
  cids: readonly CID[],
  signal?: AbortSignal,
): Promise<DiscardOutcome[]> {
  await disownLegacyBlocks(stores);
  const owner = ownerOf(account);
  const began = performance.now();
  const outcomes = new Map<string, DiscardOutcome>();
  const open = new Map(cids.map((cid) => [cid.toString(), cid]));
  while (open.size > 0) {
    signal?.throwIfAborted();
    // Called before the walk, so that later writes of the account are protected even where the walk has already passed.
    const keepFrom = await stores.collectable.beginDiscard(owner);
    const reasons = await reasonsToKeep(stores, account, [...open.values()], signal);
    const free = [...open.values()].filter((cid) => !reasons.has(cid.toString()));
    const found = await stores.collectable.discardMany(free, { owner, keepFrom });
    await stores.collectable.unclaimMany(
      [...open.values()].filter((cid) => reasons.get(cid.toString()) === shared),
      owner,
    );
    for (const [name, reason] of reasons) outcomes.set(name, reason);
    for (const [index, cid] of free.entries()) outcomes.set(cid.toString(), outcomeOf[found[index] ?? 'absent']);
    const busy = free.filter((_, index) => found[index] === 'busy');
    open.clear();
    if (busy.length === 0 || performance.now() - began > busyMsMax) break;
    for (const cid of busy) open.set(cid.toString(), cid);
    await wait(retryMs, undefined, { ...(signal && { signal }) });
  }
  return cids.map((cid) => outcomes.get(cid.toString()) ?? 'absent');
}

/** Returns the reasons for which blocks stay, by CID. Uses Kubo's wording where Kubo has one. */
async function reasonsToKeep(
  { pins, blocks, sources = [] }: AccountStores,
  account: string,
  cids: readonly CID[],
  signal: AbortSignal | undefined,
): Promise<Map<string, DiscardOutcome>> {
  const reasons = new Map<string, DiscardOutcome>();
  const wanted = new Map<string, CID[]>();
  for (const cid of cids) {
    const names = [cid, ...(cid.version === 0 ? [cid.toV1()] : [])];
    const [pin] = (await Promise.all(names.map((name) => pins.get(account, name)))).filter(
      (found) => found !== undefined,
    );
    if (pin) reasons.set(cid.toString(), { reason: `pinned: ${pin.mode}` });
    else if (!(await blocks.has(cid))) reasons.set(cid.toString(), 'absent');
    else wanted.set(blockKey(cid), [...(wanted.get(blockKey(cid)) ?? []), cid]);
  }
  if (wanted.size === 0) return reasons;
  const slices = Slices.of(signal);
  for await (const retained of retainedRoots({ pins, blocks, sources }, account, signal)) {
    await slices.step();
    if (wanted.size === 0) break;
    const outcome = {
      pin: { reason: `pinned via ${retained.root}` },
      source: { reason: `in the files of the account, via ${retained.root}` },
      others: shared,
    }[retained.by];
    try {
      for await (const cid of retained.blocks()) {
        signal?.throwIfAborted();
        for (const found of wanted.get(blockKey(cid)) ?? []) reasons.set(found.toString(), outcome);
        wanted.delete(blockKey(cid));
        if (wanted.size === 0) break;
      }
    } catch (error) {
      signal?.throwIfAborted();
      if (!isDagFault(error)) throw error;
      if (!(await retained.isStillRetained())) continue;
      for (const found of [...wanted.values()].flat())
        reasons.set(found.toString(), { reason: `pin check failed: ${retained.root}: ${errorText(error)}` });
      return reasons;
    }
  }
  return reasons;
}
