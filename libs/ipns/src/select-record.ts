import { decodeIpnsRecord, type IpnsRecord } from './ipns-record.ts';

/** Record with its bytes. */
export interface RecordAndBytes {
  readonly fields: Pick<IpnsRecord, 'sequence' | 'validUntilNs'>;
  readonly bytes: Uint8Array;
}

/**
 * Compares valid records of one name (https://specs.ipfs.tech/ipns/ipns-record/#record-creation-or-update): a greater
 * sequence is newer, then a later end of validity, then greater bytes, so that all nodes choose the same one.
 * @returns a positive number if `one` is newer
 */
export function compareRecords(one: RecordAndBytes, other: RecordAndBytes): number {
  return (
    compareNumbers(one.fields.sequence, other.fields.sequence) ||
    compareNumbers(one.fields.validUntilNs, other.fields.validUntilNs) ||
    Buffer.compare(one.bytes, other.bytes)
  );
}

function compareNumbers(one: bigint, other: bigint): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Returns the index of the newest of verified records. */
export function selectIpnsRecord(records: readonly Uint8Array[]): number {
  const decoded = records.map((bytes) => ({ fields: decodeIpnsRecord(bytes), bytes }));
  let newest = 0;
  for (const [index, record] of decoded.entries()) {
    const best = decoded[newest];
    if (best !== undefined && compareRecords(record, best) > 0) newest = index;
  }
  return newest;
}
