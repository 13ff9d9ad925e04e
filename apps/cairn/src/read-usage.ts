import { join } from 'node:path';
import { openLmdbBlockstore, withVerification } from '@cairn/blockstore';
import { Mfs, openLmdbRootStore } from '@cairn/mfs';
import { openLmdbPinStore, Pinning } from '@cairn/pinning';

/** What an account holds, as it is kept and, when asked for, counted anew from its pins and its tree. */
export async function readUsage(home: string, account: string, isRecounted: boolean) {
  const directory = (store: string) => ({ directory: join(home, store) });
  const pins = await openLmdbPinStore(directory('pins'));
  const roots = await openLmdbRootStore(directory('files'));
  const collectable = await openLmdbBlockstore(directory('blocks'));
  try {
    const blocks = withVerification(collectable);
    const pinning = new Pinning({ pins, blocks, collectable });
    const mfs = new Mfs({ roots, blocks });
    const counted = { ...(await pinning.usage(account)), fileBytes: await mfs.usage(account) };
    const recounted = isRecounted
      ? { ...(await pinning.recount(account)), fileBytes: await mfs.recount(account) }
      : undefined;
    return { counted, recounted };
  } finally {
    await Promise.all([pins.close(), roots.close(), collectable.close()]);
  }
}
