import type { StoredRecord } from './name-store.ts';

/** Returns the record to store for a put. It is due: also a put of the stored bytes puts them to the network again. */
export function nextRecord(
  record: StoredRecord,
  change: 'same' | 'newer',
  live: StoredRecord | undefined,
): StoredRecord {
  if (live === undefined) return record;
  // Anybody may put the stored record again; its owner stays.
  if (change === 'same' && record.owner === undefined) return live;
  const owner = record.owner ?? (live.account === record.account ? live.owner : undefined);
  const { announcedMs } = live;
  return { ...record, ...(owner && { owner }), ...(announcedMs !== undefined && { announcedMs }) };
}
