import type { CID } from '@cairn/cid';
import { digest } from '@cairn/cid';
import { decodeDag } from '@cairn/dag';
import { InvalidRecordError } from './errors.ts';
import { limits } from './limits.ts';
import { protobufFields, unparsable } from './protobuf-fields.ts';
import { verifySignature } from './public-key.ts';
import { nanosecondsOfTime } from './record-time.ts';

/** Fields of an IPNS record, of its signed document. */
export interface IpnsRecord {
  /** Content path, such as /ipfs/<cid>. */
  readonly value: string;
  readonly sequence: bigint;
  /** End of the validity as published (RFC 3339). */
  readonly validity: string;
  /** End of the validity in nanoseconds since 1970, for comparisons. */
  readonly validUntilNs: bigint;
  /** Time in milliseconds since 1970 after which the record is invalid. */
  readonly validUntilMs: number;
  /** Seconds that a reader may cache the value. At most the rest of the validity, if it was verified. */
  readonly ttlSeconds: number;
  /** Time to live as published, in nanoseconds. */
  readonly ttlNs: bigint;
}

/** Record as read, not verified. */
export interface DecodedRecord extends IpnsRecord {
  readonly validityType: bigint;
  readonly hasV1: boolean;
  readonly message: RecordMessage;
}

/** Fields of the protobuf message: https://specs.ipfs.tech/ipns/ipns-record/#record-serialization-format. */
export const recordFields = {
  ...{ value: 1, signatureV1: 2, validityType: 3, validity: 4, sequence: 5, ttl: 6, publicKey: 7 },
  ...{ signatureV2: 8, data: 9 },
} as const;

/** Prefix of the signed bytes of a V2 signature. */
export const signaturePrefix: Uint8Array = Buffer.from('ipns-signature:');

export interface RecordMessage {
  readonly numbers: ReadonlyMap<number, bigint>;
  readonly bytes: ReadonlyMap<number, Uint8Array>;
}

const text = new TextDecoder('utf-8', { fatal: true });
const identityCode = 0x00;
const nothing = new Uint8Array();
const uint64Max = 2n ** 64n - 1n;

const undecodable = (reason: string, words: string) =>
  new InvalidRecordError(reason, { words: `record is malformed\n${words}`, stage: 'decode' });
const unverified = (reason: string, words: string) => new InvalidRecordError(reason, { words, stage: 'verify' });

/** Reads a record without verification, for inspection. @throws IPNS_RECORD_INVALID */
export function decodeIpnsRecord(record: Uint8Array): DecodedRecord {
  if (record.length > limits.recordBytesMax) {
    const reason = `it has ${record.length} bytes, more than ${limits.recordBytesMax}`;
    throw new InvalidRecordError(reason, { words: 'record exceeds allowed size limit', stage: 'decode' });
  }
  const message = decodeMessage(record);
  const data = message.bytes.get(recordFields.data) ?? nothing;
  if (data.length === 0) throw undecodable('it has no data', 'record is missing the dag-cbor data field');
  const document = decodeDocument(data);
  const validity = decodeText(document.validity);
  const validUntilNs = nanosecondsOfTime(validity);
  if (validUntilNs === undefined)
    throw undecodable('its validity is not a time', 'record contains an invalid validity');
  return {
    value: decodeText(document.value),
    sequence: document.sequence,
    validity,
    validUntilNs,
    validUntilMs: Number(validUntilNs / 1_000_000n),
    validityType: document.validityType,
    ttlNs: document.ttl,
    ttlSeconds: secondsOf(document.ttl),
    hasV1: [recordFields.signatureV1, recordFields.value].some((field) => (message.bytes.get(field)?.length ?? 0) > 0),
    message,
  };
}

function secondsOf(ttlNs: bigint): number {
  return ttlNs < 0n ? 0 : Number(ttlNs / 1_000_000_000n);
}

/**
 * Verifies a record for its name as https://specs.ipfs.tech/ipns/ipns-record/#record-verification requires. A V1 signature
 * is ignored; V1 fields must equal those of the signed document.
 * @throws IPNS_RECORD_INVALID
 */
export function verifyIpnsRecord(name: CID, record: Uint8Array, nowMs = Date.now()): IpnsRecord {
  return verifyDecodedRecord(name, decodeIpnsRecord(record), nowMs);
}

/** Like {@link verifyIpnsRecord}, for a record that was read before. @throws IPNS_RECORD_INVALID */
export function verifyDecodedRecord(name: CID, decoded: DecodedRecord, nowMs = Date.now()): IpnsRecord {
  const { message, hasV1, validityType, ...fields } = decoded;
  const signature = message.bytes.get(recordFields.signatureV2);
  const data = message.bytes.get(recordFields.data) ?? nothing;
  if (signature === undefined || signature.length === 0)
    throw unverified('it has no V2 signature', 'signature verification failed');
  const key = publicKeyOf(name, message.bytes.get(recordFields.publicKey));
  if (!isSigned(key, data, signature))
    throw unverified('its V2 signature does not match its name', 'signature verification failed');
  if (hasV1) assertV1(decoded);
  if (validityType !== 0n)
    throw unverified('its validity is not a time', 'record contains an unrecognized validity type');
  if (fields.validUntilNs <= BigInt(nowMs) * 1_000_000n)
    throw unverified(`it expired at ${fields.validity}`, 'record is expired');
  const ttlSeconds = Math.min(fields.ttlSeconds, Math.floor((fields.validUntilMs - nowMs) / 1000));
  return { ...fields, ttlSeconds };
}

function decodeMessage(record: Uint8Array): RecordMessage {
  const numbers = new Map<number, bigint>();
  const bytes = new Map<number, Uint8Array>();
  try {
    for (const field of protobufFields(record)) {
      if (field.number !== undefined) numbers.set(field.field, field.number);
      if (field.bytes !== undefined) bytes.set(field.field, field.bytes);
    }
  } catch (error) {
    throw undecodable(String(error), unparsable);
  }
  return { numbers, bytes };
}

/** Returns the public key of a name: it is within the name, or in the record and its hash is the name. */
function publicKeyOf({ multihash }: CID, given: Uint8Array | undefined): Uint8Array {
  const mismatch = 'public key in record did not match expected public key';
  if (multihash.code === identityCode) {
    if (given !== undefined && !equal(given, multihash.digest))
      throw unverified('its public key is not that of its name', mismatch);
    return multihash.digest;
  }
  if (given === undefined) throw unverified('it has no public key', 'public key not found');
  if (!equal(digest('sha2-256', given).digest, multihash.digest))
    throw unverified('the hash of its public key is not its name', mismatch);
  return given;
}

function isSigned(key: Uint8Array, data: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verifySignature(key, Buffer.concat([signaturePrefix, data]), signature);
  } catch (error) {
    throw unverified(`its public key cannot be used: ${String(error)}`, 'public key invalid');
  }
}

interface Document {
  readonly value: Uint8Array;
  readonly validity: Uint8Array;
  readonly validityType: bigint;
  readonly sequence: bigint;
  readonly ttl: bigint;
}

function decodeDocument(data: Uint8Array): Document {
  let document: unknown;
  try {
    document = decodeDag('dag-cbor', data);
  } catch (error) {
    throw undecodable(`its data is not dag-cbor: ${String(error)}`, 'data is not dag-cbor');
  }
  const field = (name: string): unknown =>
    typeof document === 'object' && document !== null ? Reflect.get(document, name) : undefined;
  const bytes = (name: string): Uint8Array => {
    const value = field(name);
    if (value instanceof Uint8Array) return value;
    throw undecodable(`its field ${name} is not bytes`, `key not found: "${name}"`);
  };
  const number = (name: string): bigint => {
    const value = field(name);
    const isInteger = typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value));
    if (!isInteger) throw undecodable(`its field ${name} is not an integer`, `key not found: "${name}"`);
    return BigInt(value);
  };
  const sequence = number('Sequence');
  if (sequence < 0n || sequence > uint64Max)
    throw undecodable(`its sequence ${sequence} is not a uint64`, 'record contains an invalid sequence');
  const [value, validity] = [bytes('Value'), bytes('Validity')];
  return { value, validity, validityType: number('ValidityType'), sequence, ttl: number('TTL') };
}

/** Compares the V1 fields with the signed document. Absent ones are empty or 0, as in proto3. */
function assertV1({ message: { numbers, bytes }, ...document }: DecodedRecord): void {
  const isSame: Readonly<Record<string, boolean>> = {
    Value: equal(bytes.get(recordFields.value) ?? nothing, Buffer.from(document.value)),
    Validity: equal(bytes.get(recordFields.validity) ?? nothing, Buffer.from(document.validity)),
    ValidityType: (numbers.get(recordFields.validityType) ?? 0n) === BigInt.asUintN(64, document.validityType),
    Sequence: (numbers.get(recordFields.sequence) ?? 0n) === document.sequence,
    TTL: (numbers.get(recordFields.ttl) ?? 0n) === BigInt.asUintN(64, document.ttlNs),
  };
  const [field] = Object.entries(isSame).find(([, same]) => !same) ?? [];
  if (field !== undefined)
    throw unverified(
      `the V1 field ${field} differs from the signed document`,
      `field "${field}" did not match between protobuf and CBOR`,
    );
}

function decodeText(bytes: Uint8Array): string {
  try {
    return text.decode(bytes);
  } catch {
    throw undecodable('a field is not UTF-8', 'a field is not UTF-8');
  }
}

function equal(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
