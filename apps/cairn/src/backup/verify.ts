import { join } from 'node:path';
import { Auth } from '@cairn/auth';
import { type ChainStore, type Network, openChainStore } from '@cairn/chain-store';
import { errorText, isCairnError } from '@cairn/errors';
import { openStores, type StoreSettings, type Stores } from '@cairn/stores';
import { hasStore } from './has-store.ts';
import { inspectStores } from './inspect-stores.ts';
import { verifyLedger, verifyStorage } from './verify-storage.ts';

/** Counts of verified items, and problems. */
export interface VerifyReport {
  readonly blocks: number;
  readonly pins: number;
  readonly accounts: number;
  readonly chainBlocks: number;
  /** Records of embedded stores of accounts, pins, files and the index of blocks. */
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
  const stores = openStores({ CAIRN_HOME: home });
  const ids = damaged.has('accounts') ? [] : await accountIds(stores);
  const isStorageWhole =
    ['blocks', 'files', 'pins'].every((store) => !damaged.has(store)) && hasStore(join(home, 'blocks'));
  // Contents of damaged records are unreliable, so the recount is skipped.
  const storage = isStorageWhole
    ? await verifyStorage(stores, { accounts: ids, problems, onStep })
    : { blocks: 0, pins: 0 };
  onStep('usage');
  await verifyLedger(stores, ids, problems);
  const chainBlocks = await verifyChains(home, networks, problems, onStep);
  return { ...storage, accounts: ids.length, chainBlocks, records, problems };
}

/**
 * Recounts the distributed form like {@link verifyHome}: rows of pins and names against their sums, every live block in the packs
 * of the bucket, and the chains of this machine. PostgreSQL verifies its own pages (`data_checksums`, `pg_amcheck`).
 */
export async function verifyEngines({
  settings,
  networks,
  onStep,
}: {
  readonly settings: StoreSettings;
  readonly networks: readonly Network[];
  readonly onStep: OnStep;
}): Promise<VerifyReport> {
  const problems: string[] = [];
  const stores = openStores(settings);
  const accounts = await accountIds(stores);
  for (const name of ['pins', 'names'] as const) {
    onStep(`rows of ${name}`);
    const store = await stores[name]();
    try {
      await store.assertConsistent();
    } catch (error) {
      if (!isCairnError(error, 'STORE_CORRUPT')) throw error;
      problems.push(`${name}: ${error.message}`);
    } finally {
      await store.close();
    }
  }
  const storage = await verifyStorage(stores, { accounts, problems, onStep });
  onStep('usage');
  await verifyLedger(stores, accounts, problems);
  const chainBlocks = await verifyChains(settings.CAIRN_HOME, networks, problems, onStep);
  return { ...storage, accounts: accounts.length, chainBlocks, records: 0, problems };
}

async function verifyChains(
  home: string,
  networks: readonly Network[],
  problems: string[],
  onStep: OnStep,
): Promise<number> {
  let blocks = 0;
  for (const { name } of networks) {
    onStep(`chain ${name}`);
    blocks += await verifyChain(join(home, 'chains', name), name, problems);
  }
  return blocks;
}

async function accountIds(stores: Stores): Promise<string[]> {
  const auth = new Auth({ store: await stores.accounts() });
  const ids: string[] = [];
  try {
    for await (const { id } of auth.accounts()) ids.push(id);
  } finally {
    await auth.close();
  }
  return ids;
}

/** Reads of a block, a header or receipts verify their hash; each block must be the parent of the next. */
async function verifyChain(directory: string, name: string, problems: string[]): Promise<number> {
  if (!hasStore(directory)) return 0;
  let store: ChainStore | undefined;
  let verified = 0;
  try {
    store = await openChainStore({ directory });
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
    await store?.close();
  }
  return verified;
}
