import { CID, codecName } from '@cairn/cid';
import { decodeDag, encodeDag } from './codecs.ts';
import { UndecodableError, UnencodableError, UnknownCodecError } from './errors.ts';
import { addEntry, IpldFloat, type IpldValue, kindOf } from './ipld-value.ts';
import { readCbor } from './read-cbor.ts';
import { readJson } from './read-json.ts';
import { writeDagCbor, writePlainCbor } from './write-cbor.ts';
import { writeDagJson, writePlainJson } from './write-json.ts';

interface Transcoder {
  readonly read: (bytes: Uint8Array) => IpldValue;
  readonly write: (value: IpldValue) => Uint8Array;
}

/** Codecs of {@link transcodeDag}: those of go-ipld-prime, and DAG-JOSE. */
const transcoders = {
  raw: { read: (bytes) => bytes, write: bytesOf },
  'dag-pb': { read: (bytes) => fromPlain(decodeDag('dag-pb', bytes)), write: writeNode },
  'dag-cbor': { read: (bytes) => readCbor(bytes, true), write: writeDagCbor },
  'dag-json': { read: (bytes) => readJson(bytes, true), write: writeDagJson },
  'dag-jose': {
    read: (bytes) => fromPlain(decodeDag('dag-jose', bytes)),
    write: (value) => encodeDag('dag-jose', toPlain(value)),
  },
  cbor: { read: (bytes) => readCbor(bytes, false), write: writePlainCbor },
  json: { read: (bytes) => readJson(bytes, false), write: writePlainJson },
} as const satisfies Record<string, Transcoder>;

export type TranscodableCodec = keyof typeof transcoders;

/** Reports whether {@link transcodeDag} supports the codec. */
export function isTranscodable(name: string): name is TranscodableCodec {
  return Object.hasOwn(transcoders, name);
}

/** Returns the codec of a CID. @throws CODEC_UNSUPPORTED */
export function blockCodecOf(cid: CID): TranscodableCodec {
  const name = codecName(cid.code);
  if (name !== undefined && isTranscodable(name)) return name;
  throw new UnknownCodecError(name ?? `0x${cid.code.toString(16)}`);
}

/** Decodes a block as leniently as go-ipld-prime does. `what` names the bytes in errors. @throws DAG_INVALID */
export function readValue(codec: TranscodableCodec, bytes: Uint8Array, what = 'The data'): IpldValue {
  try {
    return transcoders[codec].read(bytes);
  } catch (error) {
    if (error instanceof UndecodableError) throw error;
    throw new UndecodableError(what, codec, error);
  }
}

/** Encodes a value as a block. @throws VALUE_INVALID if the codec cannot represent it */
export function writeValue(codec: TranscodableCodec, value: IpldValue): Uint8Array {
  try {
    return transcoders[codec].write(value);
  } catch (error) {
    if (error instanceof UnencodableError) throw error;
    throw new UnencodableError(codec, error);
  }
}

/**
 * Converts bytes of one codec to a block of another, as Kubo's `dag put` does. Integers stay integers, floats stay floats.
 * @throws DAG_INVALID for bytes that do not decode, VALUE_INVALID for a value that the other codec cannot represent
 */
export function transcodeDag(bytes: Uint8Array, from: TranscodableCodec, to: TranscodableCodec): Uint8Array {
  return writeValue(to, readValue(from, bytes));
}

function bytesOf(value: IpldValue): Uint8Array {
  if (value instanceof Uint8Array) return value;
  const kind = kindOf(value);
  throw new Error(
    `func called on wrong kind: "AsBytes" called on a ${kind} node (kind: ${kind}), but only makes sense on bytes`,
  );
}

function writeNode(value: IpldValue): Uint8Array {
  if (!(value instanceof Map)) {
    const [call, kind, needed] = value === null ? ['AssignNull', 'map', 'null'] : ['AssignNode', kindOf(value), 'map'];
    throw new Error(
      `func called on wrong kind: "${call}" called on a dagpb.PBNode node (kind: ${kind}), but only makes sense on ${needed}`,
    );
  }
  const unknown = [...value.keys()].find((key) => key !== 'Data' && key !== 'Links');
  if (unknown !== undefined)
    throw new Error(`invalid key for map dagpb.PBNode: ${JSON.stringify(unknown)}: no such field`);
  if (!value.has('Links')) throw new Error('missing required fields: Links');
  return encodeDag('dag-pb', toPlain(value));
}

/** Converts plain objects of a codec without floats. @throws Error for values outside of the data model */
function fromPlain(value: unknown): IpldValue {
  if (value === null || typeof value === 'boolean' || typeof value === 'bigint') return value;
  if (typeof value === 'string' || value instanceof Uint8Array) return value;
  if (typeof value === 'number') return Number.isInteger(value) ? BigInt(value) : new IpldFloat(value);
  if (Array.isArray(value)) return value.map(fromPlain);
  const cid = CID.asCID(value);
  if (cid !== null) return cid;
  if (typeof value !== 'object') throw new Error(`a value of type ${typeof value} is not in the data model`);
  const map = new Map<string, IpldValue>();
  for (const [key, each] of Object.entries(value)) addEntry(map, key, fromPlain(each));
  return map;
}

function toPlain(value: IpldValue): unknown {
  if (value instanceof IpldFloat) return value.value;
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (Array.isArray(value)) return value.map(toPlain);
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, each]) => [key, toPlain(each)]));
  return value;
}
