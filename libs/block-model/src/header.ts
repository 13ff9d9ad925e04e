import { keccak256 } from '@cairn/cid';
import { encodeRlp, type RlpItem } from '@cairn/rlp';
import { FieldReader } from './field-reader.ts';
import { bytesFromBigint, bytesFromHex, type Hex, hexFromBytes } from './hex.ts';
import { parseData, parseQuantity } from './parse-value.ts';

/** A block header (Yellow Paper, section 4.4; EIP-1559, 4895, 4844, 4788, 7685). Fields of later forks are optional. */
export interface Header {
  readonly hash: Hex;
  /** RLP of the header, whose keccak-256 is the hash. */
  readonly raw: Uint8Array;
  readonly parentHash: Hex;
  readonly unclesHash: Hex;
  readonly miner: Hex;
  readonly stateRoot: Hex;
  readonly transactionsRoot: Hex;
  readonly receiptsRoot: Hex;
  readonly logsBloom: Hex;
  readonly difficulty: bigint;
  readonly number: bigint;
  readonly gasLimit: bigint;
  readonly gasUsed: bigint;
  /** Seconds since 1970. */
  readonly timestamp: bigint;
  readonly extraData: Hex;
  /** Contains prevRandao since the merge (EIP-4399). */
  readonly mixHash: Hex;
  readonly nonce: Hex;
  /** Wei. */
  readonly baseFeePerGas?: bigint;
  readonly withdrawalsRoot?: Hex;
  readonly blobGasUsed?: bigint;
  readonly excessBlobGas?: bigint;
  readonly parentBeaconBlockRoot?: Hex;
  readonly requestsHash?: Hex;
}

/** Fields in the order of the RLP list, with their lengths in bytes; `integer` for numbers. */
const layout = [
  ['parentHash', 32],
  ['unclesHash', 32],
  ['miner', 20],
  ['stateRoot', 32],
  ['transactionsRoot', 32],
  ['receiptsRoot', 32],
  ['logsBloom', 256],
  ['difficulty', 'integer'],
  ['number', 'integer'],
  ['gasLimit', 'integer'],
  ['gasUsed', 'integer'],
  ['timestamp', 'integer'],
  ['extraData', 'bytes'],
  ['mixHash', 32],
  ['nonce', 8],
  ['baseFeePerGas', 'integer'],
  ['withdrawalsRoot', 32],
  ['blobGasUsed', 'integer'],
  ['excessBlobGas', 'integer'],
  ['parentBeaconBlockRoot', 32],
  ['requestsHash', 32],
] as const satisfies readonly (readonly [keyof Header, number | 'integer' | 'bytes'])[];

const requiredFields = 15;

/** Reads a header from its RLP. @throws DECODE_FAILED naming the field */
export function decodeHeader(raw: Uint8Array): Header {
  const reader = FieldReader.over('block header', raw);
  const fields: Record<string, unknown> = { hash: hexFromBytes(keccak256(raw)), raw };
  for (const [index, [name, kind]] of layout.entries()) {
    if (index >= requiredFields && reader.isDone) break;
    if (kind === 'integer') fields[name] = reader.integer(name);
    else fields[name] = hexFromBytes(kind === 'bytes' ? reader.bytes(name) : reader.bytes(name, kind));
  }
  reader.end();
  // `layout` lists the fields of Header with their kinds; the type system cannot derive that from the loop.
  return fields as unknown as Header;
}

/** Reads a header from a decoded list. @throws DECODE_FAILED */
export function headerFromRlp(item: RlpItem): Header {
  return decodeHeader(encodeRlp(item));
}

/** Reads a header from its JSON-RPC form; the hash is computed, never copied. @throws VALUE_INVALID */
export function headerFromJson(json: Readonly<Record<string, unknown>>): Header {
  const items: RlpItem[] = [];
  for (const [index, [name, kind]] of layout.entries()) {
    const value = json[name === 'unclesHash' ? 'sha3Uncles' : name];
    if (index >= requiredFields && (value === undefined || value === null)) break;
    if (kind === 'integer') items.push(bytesFromBigint(parseQuantity(name, value)));
    else items.push(bytesFromHex(parseData(name, value, kind === 'bytes' ? undefined : kind)));
  }
  return headerFromRlp(items);
}

/** Creates a header with the hash and encoding of the given fields. @throws DECODE_FAILED for a field of a wrong length */
export function makeHeader(fields: Omit<Header, 'hash' | 'raw'>): Header {
  const items: RlpItem[] = [];
  for (const [name] of layout) {
    const value = fields[name];
    if (value === undefined) break;
    items.push(typeof value === 'bigint' ? bytesFromBigint(value) : bytesFromHex(value));
  }
  return headerFromRlp(items);
}
