import { join } from 'node:path';
import { openLmdbBlockstore, withVerification } from '@cairn/blockstore';
import { Mfs, openLmdbRootStore } from '@cairn/mfs';
import { openLmdbPinStore, Pinning } from '@cairn/pinning';

/** Usage of an account: the stored sums and, on request, a recount of its pins, its file tree and its unpinned blocks. */
export async function readUsage(home: string, account: string, isRecounted: boolean) {
  const directory = (store: string) => ({ directory: join(home, store) });
  const pins = await openLmdbPinStore(directory('pins'));
  const roots = await openLmdbRootStore(directory('files'));
  const collectable = await openLmdbBlockstore(directory('blocks'));
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
