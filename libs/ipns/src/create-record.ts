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

const validityTypeEol = 0n;
/** Multihash code of names that contain their key. */
const identityCode = 0x00;

/** Creates a signed record in Kubo's form: V2, with V1 fields unless `hasV1` is false. @throws IPNS_RECORD_INVALID if it is too large */
export function createIpnsRecord(key: IpnsKey, options: RecordOptions): Uint8Array {
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
