import type { Collectable } from '@cairn/blockstore';
import type { PinStore } from './pin-store.ts';

/**
 * Prepares a store of an earlier version for removals by account. In such a store another account may have pinned, without a
 * walk, a root that this one has released. All blocks stored so far are therefore marked as shared, and only a collection of
 * the whole store removes them.
 */
export async function disownLegacyBlocks({
  pins,
  collectable,
}: {
  readonly pins: PinStore;
  readonly collectable: Collectable;
}): Promise<void> {
  if (!(await pins.hasUntrackedSharing())) return;
  await collectable.disownAll();
  await pins.clearUntrackedSharing();
}
