import { withVerification } from '@cairn/blockstore';
import { Mfs } from '@cairn/mfs';
import { Pinning } from '@cairn/pinning';
import { openStores, type StoreSettings } from '@cairn/stores';

/** Usage of an account: the stored sums and, on request, a recount of its pins, its file tree and its unpinned blocks. */
export async function readUsage(settings: StoreSettings, account: string, isRecounted: boolean) {
  const stores = openStores(settings);
  const pins = await stores.pins();
  const roots = await stores.files();
  const collectable = await stores.blocks();
  try {
    const blocks = withVerification(collectable);
    const pinning = new Pinning({ pins, blocks, collectable });
    const mfs = new Mfs({ roots, blocks });
    const counted = {
      ...(await pinning.usage(account)),
      fileBytes: await mfs.usage(account),
      unpinned: await pinning.claimed(account),
    };
    const recounted = isRecounted
      ? {
          ...(await pinning.recount(account)),
          fileBytes: await mfs.recount(account),
          unpinned: await pinning.recountClaimed(account),
        }
      : undefined;
    return { counted, recounted };
  } finally {
    await Promise.all([pins.close(), roots.close(), collectable.close()]);
  }
}
