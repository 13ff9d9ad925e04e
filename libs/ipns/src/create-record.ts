import { encodeDag } from '@cairn/dag';
import { InvalidRecordError } from './errors.ts';
import { recordFields, signaturePrefix } from './ipns-record.ts';
import { limits } from './limits.ts';
import { type IpnsKey, signWith } from './private-key.ts';
import { encodeProtobuf } from './protobuf-fields.ts';
import { timeText } from './record-time.ts';

export interface RecordOptions {
  /** Content path, such as /ipfs/<cid> or /ipns/<name>. */
  readonly value: string;
  readonly sequence: bigint;
  /** Time in milliseconds since 1970 after which the record is invalid. */
  readonly validUntilMs: number;
  /** Nanoseconds that a reader may cache the value. */
  readonly ttlNs: bigint;
  /** Adds the fields and the signature of V1, which older readers need. Default true, as in Kubo. */
  readonly hasV1?: boolean;
}

/** RFC 3339 has years of four digits. */
const lastTimeMs = Date.UTC(9999, 11, 31, 23, 59, 59, 999);
const validityTypeEol = 0n;
/** Multihash code of names that contain their key. */
const identityCode = 0x00;

/**
 * Creates a signed record in Kubo's form: V2, with V1 fields unless `hasV1` is false.
 * @throws IPNS_RECORD_INVALID if it is too large, or a number is out of its range
 */
export function createIpnsRecord(key: IpnsKey, options: RecordOptions): Uint8Array {
  assertRanges(options);
  const { sequence, ttlNs, hasV1 = true } = options;
  const value = Buffer.from(options.value);
  const validity = Buffer.from(timeText(options.validUntilMs));
  const data = encodeDag('dag-cbor', {
    ...{ Value: value, Validity: validity, ValidityType: Number(validityTypeEol) },
    ...{ Sequence: sequence, TTL: ttlNs },
  });
  const signatureV2 = signWith(key, Buffer.concat([signaturePrefix, data]));
  const v1 = [
    [recordFields.value, value],
    [recordFields.signatureV1, hasV1 ? signWith(key, Buffer.concat([value, validity, Buffer.from('EOL')])) : value],
    [recordFields.validityType, validityTypeEol],
    [recordFields.validity, validity],
    [recordFields.sequence, sequence],
    [recordFields.ttl, BigInt.asUintN(64, ttlNs)],
  ] as const;
  const record = encodeProtobuf([
    ...(hasV1 ? v1 : []),
    // Names of long keys are hashes, so that the record has the key.
    ...(key.name.multihash.code === identityCode ? [] : [[recordFields.publicKey, key.publicKey] as const]),
    [recordFields.signatureV2, signatureV2],
    [recordFields.data, data],
  ]);
  if (record.length > limits.recordBytesMax)
    throw new InvalidRecordError(`it would have ${record.length} bytes, more than ${limits.recordBytesMax}`, {
      words: 'record exceeds allowed size limit',
      stage: 'decode',
    });
  return record;
}

/** Refuses numbers that readers refuse or read as others. A negative time to live is one, as in Kubo. */
function assertRanges({ sequence, ttlNs, validUntilMs }: RecordOptions): void {
  if (typeof sequence !== 'bigint' || BigInt.asUintN(64, sequence) !== sequence)
    throw outOfRange('sequence', sequence, 'a bigint from 0 to 2^64 - 1');
  if (typeof ttlNs !== 'bigint' || BigInt.asIntN(64, ttlNs) !== ttlNs)
    throw outOfRange('ttlNs', ttlNs, 'a bigint of 64 bits');
  if (!(validUntilMs >= 0 && validUntilMs <= lastTimeMs))
    throw outOfRange('validUntilMs', validUntilMs, 'milliseconds from the year 1970 to the year 9999');
}

function outOfRange(field: string, value: unknown, expected: string): InvalidRecordError {
  return new InvalidRecordError(`${field}: expected ${expected}, got ${typeof value} ${String(value)}`, {
    words: `${field} is out of range`,
    stage: 'decode',
  });
}
