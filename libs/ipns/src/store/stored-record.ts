import { CID } from '@cairn/cid';
import { libp2pKeyCode } from '../ipns-name.ts';
import { decodeIpnsRecord } from '../ipns-record.ts';
import type { RecordOwner, StoredRecord } from './name-store.ts';

/** Record with its times in the schedule. */
export interface ScheduledRecord extends StoredRecord {
  /** Time in milliseconds since 1970 of the next put to the network; absent: none. */
  readonly dueMs?: number;
}

interface RecordValue {
  readonly account: string;
  readonly record: string;
  readonly owner?: RecordOwner;
  readonly announcedMs?: number;
  readonly dueMs?: number;
}

export function encodeStoredRecord({ account, bytes, owner, announcedMs, dueMs }: ScheduledRecord): Buffer {
  const value: RecordValue = {
    account,
    record: Buffer.from(bytes).toString('base64'),
    ...(owner && { owner }),
    ...(announcedMs !== undefined && { announcedMs }),
    ...(dueMs !== undefined && { dueMs }),
  };
  return Buffer.from(JSON.stringify(value));
}

export function decodeStoredRecord(name: CID, value: Uint8Array): ScheduledRecord {
  const { record, ...rest } = JSON.parse(Buffer.from(value).toString()) as RecordValue;
  const bytes = Buffer.from(record, 'base64');
  const { message: _, hasV1: __, validityType: ___, ...fields } = decodeIpnsRecord(bytes);
  return { name, bytes, fields, ...rest };
}

/** Returns the name with a multihash. */
export function nameOfMultihash(multihash: Uint8Array): CID {
  return CID.decode(Uint8Array.of(1, libp2pKeyCode, ...multihash));
}

/** Returns a key that sorts by time, then by name. */
export function timeKey(ms: number, name: CID): Buffer {
  const time = Buffer.alloc(8);
  time.writeBigUInt64BE(BigInt(Math.max(0, Math.floor(ms))));
  return Buffer.concat([time, name.multihash.bytes]);
}

/** Splits a key of {@link timeKey}. */
export function decodeTimeKey(key: Uint8Array): { readonly ms: number; readonly name: CID } {
  return { ms: Number(Buffer.from(key).readBigUInt64BE(0)), name: nameOfMultihash(key.subarray(8)) };
}
