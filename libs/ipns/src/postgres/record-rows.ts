import { decodeIpnsRecord } from '../ipns-record.ts';
import type { StoredRecord } from '../store/name-store.ts';
import { nameOfMultihash } from '../store/stored-record.ts';

/** Row of `name_records`. */
export interface RecordRow {
  readonly name: Uint8Array;
  readonly record: Uint8Array;
  readonly account_id: string;
  readonly lifetime_ms: number | null;
  readonly has_v1: boolean | null;
  readonly announced_at: number | null;
}

export const recordColumns = 'name, record, account_id, lifetime_ms, has_v1, announced_at';

export function recordOfRow(row: RecordRow): StoredRecord {
  const { message: _, hasV1: __, validityType: ___, ...fields } = decodeIpnsRecord(row.record);
  return {
    name: nameOfMultihash(row.name),
    bytes: row.record,
    fields,
    account: row.account_id,
    ...(row.lifetime_ms !== null && { owner: { lifetimeMs: row.lifetime_ms, hasV1: row.has_v1 ?? false } }),
    ...(row.announced_at !== null && { announcedMs: row.announced_at }),
  };
}
