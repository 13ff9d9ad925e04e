import { type CID, digest } from '@cairn/cid';
import { decodeDag } from '@cairn/dag';
import { InvalidRecordError } from './errors.ts';
import { limits } from './limits.ts';
import { protobufFields } from './protobuf-fields.ts';
import { verifySignature } from './public-key.ts';

/** Verified IPNS record. */
export interface IpnsRecord {
  /** Content path, such as /ipfs/<cid>. */
  readonly value: string;
  readonly sequence: bigint;
  /** Time in milliseconds since 1970 after which the record is invalid. */
  readonly validUntilMs: number;
  /** Seconds that a reader may cache the value. */
  readonly ttlSeconds: number;
}

/** Fields of the protobuf message: https://specs.ipfs.tech/ipns/ipns-record/#record-serialization-format. */
const fields = { value: 1, validityType: 3, validity: 4, sequence: 5, ttl: 6, publicKey: 7, signatureV2: 8, data: 9 };
const signaturePrefix = new TextEncoder().encode('ipns-signature:');
const text = new TextDecoder('utf-8', { fatal: true });
const identityCode = 0x00;

interface Message {
  readonly numbers: ReadonlyMap<number, bigint>;
  readonly bytes: ReadonlyMap<number, Uint8Array>;
}

/**
 * Verifies a record for its name as https://specs.ipfs.tech/ipns/ipns-record/#record-verification requires. A V1 signature
 * is ignored; V1 fields must equal those of the signed document.
 * @throws IPNS_RECORD_INVALID
 */
export function verifyIpnsRecord(name: CID, record: Uint8Array, nowMs = Date.now()): IpnsRecord {
  if (record.length > limits.recordBytesMax)
    throw new InvalidRecordError(`it has ${record.length} bytes, more than ${limits.recordBytesMax}`);
  const message = decodeMessage(record);
  const data = message.bytes.get(fields.data);
  const signature = message.bytes.get(fields.signatureV2);
  if (data === undefined || signature === undefined) throw new InvalidRecordError('it has no V2 signature or no data');
  const key = publicKeyOf(name, message.bytes.get(fields.publicKey));
  if (!isSigned(key, data, signature)) throw new InvalidRecordError('its V2 signature does not match its name');
  const document = decodeDocument(data);
  assertV1(message, document);
  const validUntilMs = Date.parse(decodeText(document.validity));
  if (document.validityType !== 0n || Number.isNaN(validUntilMs))
    throw new InvalidRecordError('its validity is not a time');
  if (validUntilMs <= nowMs) throw new InvalidRecordError(`it expired at ${new Date(validUntilMs).toISOString()}`);
  const ttlSeconds = Math.min(Number(document.ttl / 1_000_000_000n), Math.floor((validUntilMs - nowMs) / 1000));
  return { value: decodeText(document.value), sequence: document.sequence, validUntilMs, ttlSeconds };
}

function decodeMessage(record: Uint8Array): Message {
  const numbers = new Map<number, bigint>();
  const bytes = new Map<number, Uint8Array>();
  try {
    for (const field of protobufFields(record)) {
      if (field.number !== undefined) numbers.set(field.field, field.number);
      if (field.bytes !== undefined) bytes.set(field.field, field.bytes);
    }
  } catch (error) {
    throw new InvalidRecordError(String(error));
  }
  return { numbers, bytes };
}

/** Returns the public key of a name: it is within the name, or in the record and its hash is the name. */
function publicKeyOf({ multihash }: CID, given: Uint8Array | undefined): Uint8Array {
  if (multihash.code === identityCode) {
    if (given !== undefined && !equal(given, multihash.digest))
      throw new InvalidRecordError('its public key is not that of its name');
    return multihash.digest;
  }
  if (given === undefined) throw new InvalidRecordError('it has no public key');
  if (!equal(digest('sha2-256', given).digest, multihash.digest))
    throw new InvalidRecordError('the hash of its public key is not its name');
  return given;
}

function isSigned(key: Uint8Array, data: Uint8Array, signature: Uint8Array): boolean {
  try {
    return verifySignature(key, Buffer.concat([signaturePrefix, data]), signature);
  } catch (error) {
    throw new InvalidRecordError(`its public key cannot be used: ${String(error)}`);
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
    throw new InvalidRecordError(`its data is not dag-cbor: ${String(error)}`);
  }
  const field = (name: string): unknown =>
    typeof document === 'object' && document !== null ? Reflect.get(document, name) : undefined;
  const bytes = (name: string): Uint8Array => {
    const value = field(name);
    if (value instanceof Uint8Array) return value;
    throw new InvalidRecordError(`its field ${name} is not bytes`);
  };
  const number = (name: string): bigint => {
    const value = field(name);
    if (typeof value === 'bigint' || (typeof value === 'number' && Number.isSafeInteger(value))) return BigInt(value);
    throw new InvalidRecordError(`its field ${name} is not an integer`);
  };
  return {
    value: bytes('Value'),
    validity: bytes('Validity'),
    validityType: number('ValidityType'),
    sequence: number('Sequence'),
    ttl: number('TTL'),
  };
}

/** Compares the V1 fields, if there are any, with the signed document. */
function assertV1({ numbers, bytes }: Message, document: Document): void {
  const value = bytes.get(fields.value);
  const validity = bytes.get(fields.validity);
  const isSame =
    (value === undefined || equal(value, document.value)) &&
    (validity === undefined || equal(validity, document.validity)) &&
    (numbers.get(fields.validityType) ?? document.validityType) === document.validityType &&
    (numbers.get(fields.sequence) ?? document.sequence) === document.sequence &&
    (numbers.get(fields.ttl) ?? document.ttl) === document.ttl;
  if (!isSame) throw new InvalidRecordError('a V1 field differs from the signed document');
}

function decodeText(bytes: Uint8Array): string {
  try {
    return text.decode(bytes);
  } catch {
    throw new InvalidRecordError('a field is not UTF-8');
  }
}

function equal(one: Uint8Array, other: Uint8Array): boolean {
  return Buffer.compare(one, other) === 0;
}
