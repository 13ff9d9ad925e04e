import type { Collectable } from '@cairn/blockstore';
import type { PinStore } from './pin-store.ts';

/**
 * Before blocks are removed for an account: in a store of an earlier version another account may pin, without a walk, what
 * this one has released. No block of that time counts as put by one account from here on; collections decide about them.
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
