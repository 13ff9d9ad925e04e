import { createIpnsRecord } from './create-record.ts';
import { SequenceTooLowError } from './errors.ts';
import { type IpnsRecord, verifyIpnsRecord } from './ipns-record.ts';
import type { IpnsKey } from './private-key.ts';
import type { NameRecords, StoredRecord } from './store/name-store.ts';

export interface PublishOptions {
  readonly account: string;
  readonly key: IpnsKey;
  /** Content path. */
  readonly value: string;
  readonly lifetimeMs: number;
  readonly ttlNs: bigint;
  readonly hasV1?: boolean;
  /** Sequence above the current one. Default: the current one for the same value, else the next one. */
  readonly sequence?: bigint;
  /** Returns a record of the name from the network, for a name that has none here. */
  readonly findElsewhere?: () => Promise<Uint8Array | undefined>;
  readonly nowMs?: () => number;
}

/** Attempts while other processes publish the same name. */
const attemptsMax = 32;

/**
 * Signs and stores the next record of a name. The sequence never goes back, also after the last record has expired. The
 * network gets the record from the schedule of the store.
 * @throws IPNS_SEQUENCE_LOW, IPNS_RECORD_INVALID, NAMES_FULL
 */
export async function publishName(records: NameRecords, options: PublishOptions): Promise<IpnsRecord> {
  const { account, key, value, lifetimeMs, ttlNs, hasV1 = true, nowMs = Date.now } = options;
  for (let attempt = 0; attempt < attemptsMax; attempt++) {
    const before = await records.get(key.name);
    const validUntilMs = nowMs() + lifetimeMs;
    const sequence = nextSequence(options, {
      before,
      last: before === undefined ? await lastSequence(records, options) : before.fields.sequence,
      validUntilMs,
    });
    const bytes = createIpnsRecord(key, { value, sequence, validUntilMs, ttlNs, hasV1 });
    const expected = { sequence: before?.fields.sequence };
    const outcome = await records.put(key.name, bytes, { account, owner: { lifetimeMs, hasV1 }, expected });
    if (outcome === 'stored') return verifyIpnsRecord(key.name, bytes, nowMs());
  }
  throw new Error(`The record of ${key.name} changed during ${attemptsMax} attempts to publish it.`);
}

/** Returns the greatest known sequence of a name without a record here. */
async function lastSequence(
  records: NameRecords,
  { account, key: { name }, findElsewhere, nowMs = Date.now }: PublishOptions,
): Promise<bigint | undefined> {
  const known = await records.sequenceOf(account, name);
  const bytes = await findElsewhere?.();
  const elsewhere = bytes && verifyIpnsRecord(name, bytes, nowMs()).sequence;
  return known === undefined || (elsewhere !== undefined && elsewhere > known) ? elsewhere : known;
}

function nextSequence(
  { value, sequence }: PublishOptions,
  { before, last, validUntilMs }: { before: StoredRecord | undefined; last: bigint | undefined; validUntilMs: number },
): bigint {
  if (sequence !== undefined) {
    if (last !== undefined && sequence <= last) throw new SequenceTooLowError(sequence, last);
    return sequence;
  }
  if (last === undefined) return 0n;
  // Equal sequences are decided by the end of validity: a shorter one needs the next sequence to become visible.
  const isExtension = before?.fields.value === value && validUntilMs > before.fields.validUntilMs + 1;
  return isExtension ? last : last + 1n;
}
