import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Auth } from '@cairn/auth';
import { scrub, withVerification } from '@cairn/blockstore';
import { type Network, openChainStore } from '@cairn/chain-store';
import { errorText } from '@cairn/errors';
import { addCounts, type UsageCounts, zeroCounts } from '@cairn/metering';
import { Mfs } from '@cairn/mfs';
import { Pinning, walkDag } from '@cairn/pinning';
import { openStores } from '@cairn/stores';
import { inspectStores } from './inspect-stores.ts';

/** Counts of verified items, and problems. */
export interface VerifyReport {
  readonly blocks: number;
  readonly pins: number;
  readonly accounts: number;
  readonly chainBlocks: number;
  /** Records of accounts, pins, files and the index of blocks. */
  readonly records: number;
  readonly problems: readonly string[];
}

/** Called with the name of each part before its verification. */
export type OnStep = (step: string) => void;

/**
 * Verifies pages and checksums of all records. Then recounts a home: blocks against their names, pins against their
 * DAGs, usage against pins, trees and unpinned blocks, hours of the ledger against its days, blocks of chains and their
 * receipts against their hashes.
 */
export async function verifyHome({
  home,
  networks,
  onStep,
}: {
  readonly home: string;
  readonly networks: readonly Network[];
  readonly onStep: OnStep;
}): Promise<VerifyReport> {
  const problems: string[] = [];
  const { records, damaged } = await inspectStores(home, { problems, onStep });
  const ids = damaged.has('accounts') ? [] : await accountIds(home);
  const isStorageWhole = ['blocks', 'files', 'pins'].every((store) => !damaged.has(store));
  // Contents of damaged records are unreliable, so the recount is skipped.
  const storage = isStorageWhole ? await verifyStorage(home, ids, problems, onStep) : { blocks: 0, pins: 0 };
  onStep('usage');
  await verifyLedger(home, ids, problems);
  let chainBlocks = 0;
  for (const { name } of networks) {
    onStep(`chain ${name}`);
    chainBlocks += await verifyChain(join(home, 'chains', name), name, problems);
  }
  return { ...storage, accounts: ids.length, chainBlocks, records, problems };
}

async function accountIds(home: string): Promise<string[]> {
  const auth = new Auth({ store: await openStores({ CAIRN_HOME: home }).accounts() });
  const ids: string[] = [];
  try {
    for await (const { id } of auth.accounts()) ids.push(id);
  } finally {
    await auth.close();
  }
  return ids;
}

async function verifyStorage(home: string, accounts: readonly string[], problems: string[], onStep: OnStep) {
  const stores = openStores({ CAIRN_HOME: home });
  if (!existsSync(join(home, 'blocks', 'data.mdb'))) return { blocks: 0, pins: 0 };
  const store = await stores.blocks();
  const pinStore = await stores.pins();
  const roots = await stores.files();
  try {
    onStep('blocks');
    const { blocks } = await scrub({
      store,
      bytesPerSecond: Number.MAX_SAFE_INTEGER,
      wait: async () => {},
      onCorrupt: (cid) => problems.push(`block ${cid} does not match its name; it is quarantined`),
    });
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
async function verifyLedger(home: string, accounts: readonly string[], problems: string[]): Promise<void> {
  if (accounts.length === 0) return;
  const usage = await openStores({ CAIRN_HOME: home }).usage();
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

/** Reads of a block, a header or receipts verify their hash; each block must be the parent of the next. */
async function verifyChain(directory: string, name: string, problems: string[]): Promise<number> {
  if (!existsSync(join(directory, 'data.mdb'))) return 0;
  const store = await openChainStore({ directory });
  let verified = 0;
  try {
    const head = store.headOrNone;
    if (head === undefined) return 0;
    let hash: `0x${string}` | undefined = head.hash;
    for (let number = head.number; number >= 0n && hash !== undefined; number--) {
      const block = store.block(hash);
      if (block === undefined && verified > 0) break;
      if (block === undefined || block.header.number !== number || store.hashByNumber(number) !== hash) {
        problems.push(`${name}: block ${number} is not ${hash}`);
        break;
      }
      if (number > 0n) store.receipts(hash);
      verified++;
      hash = block.header.parentHash;
    }
  } catch (error) {
    problems.push(`${name}: ${errorText(error)}`);
  } finally {
    await store.close();
  }
  return verified;
}
