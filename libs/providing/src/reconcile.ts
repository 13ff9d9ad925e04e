import type { CID } from '@cairn/cid';
import { limits } from './limits.ts';
import type { ProvideSource } from './provide-source.ts';
import type { ProvideRecord, ProvideStore } from './provide-store.ts';

export interface Reconciliation {
  readonly added: number;
  readonly removed: number;
  /** Records whose time was outside of the schedule. */
  readonly rescheduled: number;
}

export interface ReconcileOptions {
  readonly store: ProvideStore;
  readonly source: ProvideSource;
  readonly now: () => number;
  /** Longest time from one announcement to the next one. */
  readonly ageMsMax: number;
  readonly signal: AbortSignal;
}

/**
 * Makes the records follow their source: adds missing ones and removes those that the source no longer has. Reads only, where
 * nothing changed. Its memory does not grow with the number of records.
 */
export async function reconcile({ store, source, now, ageMsMax, signal }: ReconcileOptions): Promise<Reconciliation> {
  const added = await addMissing(store, source, signal);
  let removed = 0;
  let rescheduled = 0;
  let after: Uint8Array | undefined;
  for (;;) {
    signal.throwIfAborted();
    const page: readonly ProvideRecord[] = await store.inRegion(everything, { after, limit: limits.checkedRecords });
    const misplaced = page.filter((record) => isMisplaced(record, now(), ageMsMax));
    await store.settle(misplaced.map(({ key, failures }) => ({ key, failures, dueAt: now() })));
    rescheduled += misplaced.length;
    removed += await removeUnwanted(store, source, page);
    after = page.at(-1)?.key;
    if (page.length < limits.checkedRecords) return { added, removed, rescheduled };
    await yieldToEvents();
  }
}

/** Time of records that were found by comparison: content that is added now is announced before a backlog of them. */
const backlogDueAt = 1;

const everything = { start: new Uint8Array(32), bits: 0 };

async function addMissing(store: ProvideStore, source: ProvideSource, signal: AbortSignal): Promise<number> {
  let added = 0;
  let seen = 0;
  let missing: CID[] = [];
  for await (const cid of source.cids()) {
    signal.throwIfAborted();
    if (!(await store.has(cid))) missing.push(cid);
    if (missing.length >= limits.checkedRecords) {
      added += await store.add(missing, { dueAt: backlogDueAt });
      missing = [];
    }
    if (++seen % limits.checkedRecords === 0) await yieldToEvents();
  }
  return added + (await store.add(missing, { dueAt: backlogDueAt }));
}

async function removeUnwanted(
  store: ProvideStore,
  source: ProvideSource,
  page: readonly ProvideRecord[],
): Promise<number> {
  const unwanted: CID[] = [];
  for (const { key } of page)
    for (const cid of await store.cidsOf(key)) if (!(await source.includes(cid))) unwanted.push(cid);
  return store.remove(unwanted);
}

/** A changed interval or clock leaves times that are too late. */
function isMisplaced({ announcedAt, dueAt, failures }: ProvideRecord, now: number, ageMsMax: number): boolean {
  if (dueAt <= now) return false;
  if (announcedAt !== undefined && announcedAt > now) return true;
  if (failures > 0) return dueAt > now + limits.retryMsMax;
  return dueAt > (announcedAt ?? now) + ageMsMax;
}

function yieldToEvents(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
