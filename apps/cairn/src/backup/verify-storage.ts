import { scrub, withVerification } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { errorText } from '@cairn/errors';
import { addCounts, type UsageCounts, zeroCounts } from '@cairn/metering';
import { Mfs } from '@cairn/mfs';
import { Pinning, walkDag } from '@cairn/pinning';
import type { Stores } from '@cairn/stores';

export interface StorageVerification {
  readonly accounts: readonly string[];
  /** List to which problems are added. */
  readonly problems: string[];
  /** Called with the name of each part before its verification. */
  readonly onStep: (step: string) => void;
}

/** Recounts blocks, pins, file trees and unpinned blocks of accounts. Corrupt blocks are quarantined. */
export async function verifyStorage(
  stores: Stores,
  { accounts, problems, onStep }: StorageVerification,
): Promise<{ readonly blocks: number; readonly pins: number }> {
  const packs = await stores.packs();
  const store = packs ?? (await stores.blocks());
  const pinStore = await stores.pins();
  const roots = await stores.files();
  try {
    onStep('blocks');
    const bytesPerSecond = Number.MAX_SAFE_INTEGER;
    const onCorrupt = (cid: CID) => void problems.push(`block ${cid} does not match its name; it is quarantined`);
    const { blocks } =
      packs === undefined
        ? await scrub({ store, bytesPerSecond, wait: async () => {}, onCorrupt })
        : await packs.maintenance.scrub({ bytesPerSecond, onCorrupt });
    const verified = withVerification(store);
    const mfs = new Mfs({ roots, blocks: verified });
    const pinning = new Pinning({ pins: pinStore, blocks: verified, collectable: store });
    let pins = 0;
    for (const account of accounts) {
      onStep(`pins of ${account}`);
      const sum = { pins: 0, blocks: 0, bytes: 0 };
      for await (const { cid, mode, size } of pinStore.list(account)) {
        pins++;
        sum.pins++;
        sum.blocks += size.blocks;
        sum.bytes += size.bytes;
        if (mode !== 'recursive') continue;
        try {
          const found = await walkDag(verified, cid);
          if (found.blocks !== size.blocks || found.bytes !== size.bytes)
            problems.push(`pin ${cid} of ${account} counts ${size.bytes} bytes, its blocks have ${found.bytes}`);
        } catch (error) {
          problems.push(`pin ${cid} of ${account}: ${errorText(error)}`);
        }
      }
      const usage = await pinStore.usage(account);
      if (JSON.stringify(usage) !== JSON.stringify(sum))
        problems.push(`usage of ${account} is ${JSON.stringify(usage)}, its pins make ${JSON.stringify(sum)}`);
      const [kept, counted] = [await mfs.usage(account), await mfs.recount(account).catch(errorText)];
      if (kept !== counted) problems.push(`files of ${account} count ${kept} bytes, anew ${counted}`);
      const claimed = JSON.stringify(await pinning.claimed(account));
      const found = await pinning.recountClaimed(account).then((sums) => JSON.stringify(sums), errorText);
      if (claimed !== found) problems.push(`blocks of ${account} without a pin count ${claimed}, anew ${found}`);
    }
    return { blocks, pins };
  } finally {
    await Promise.all([store.close(), pinStore.close(), roots.close()]);
  }
}

/** Both are written in one transaction: a difference is damage. */
export async function verifyLedger(stores: Stores, accounts: readonly string[], problems: string[]): Promise<void> {
  if (accounts.length === 0) return;
  const usage = await stores.usage();
  try {
    for (const account of accounts) {
      const sums: UsageCounts[] = [];
      for (const resolution of ['hour', 'day'] as const) {
        const sum = zeroCounts();
        for await (const row of usage.rows(account, { from: 0, to: Date.now() + 86_400_000 }, resolution))
          addCounts(sum, row);
        sums.push(sum);
      }
      if (JSON.stringify(sums[0]) !== JSON.stringify(sums[1]))
        problems.push(`the ledger of ${account} has other sums by hour than by day`);
    }
  } finally {
    await usage.close();
  }
}
