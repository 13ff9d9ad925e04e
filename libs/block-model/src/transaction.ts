import { keccak256 } from '@cairn/cid';
import { DecodeError, encodeRlp, type RlpItem } from '@cairn/rlp';
import { FieldReader } from './field-reader.ts';
import { bytesFromBigint, bytesFromHex, type Hex, hexFromBytes } from './hex.ts';
import { type Deposit, decodeDeposit, depositType, encodeDeposit } from './op-stack/deposit.ts';

/** One entry of an access list (EIP-2930). */
export interface AccessListEntry {
  readonly address: Hex;
  readonly storageKeys: readonly Hex[];
}

/** One authorization of a set-code transaction (EIP-7702). */
export interface Authorization {
  readonly chainId: bigint;
  readonly address: Hex;
  readonly nonce: bigint;
  readonly yParity: bigint;
  readonly r: bigint;
  readonly s: bigint;
}

/**
 * A transaction of a block. Types: 0 legacy, 1 EIP-2930, 2 EIP-1559, 3 EIP-4844, 4 EIP-7702, 126 deposit of the OP stack. Other
 * types only occur with `given`.
 */
export interface Transaction {
  readonly type: number;
  readonly hash: Hex;
  /** Encoding in a block: RLP for legacy, otherwise the type and the RLP payload (EIP-2718). */
  readonly raw: Uint8Array;
  /** Absent in legacy transactions without replay protection (EIP-155). */
  readonly chainId?: bigint;
  readonly nonce: bigint;
  readonly gas: bigint;
  /** Wei. */
  readonly gasPrice?: bigint;
  readonly maxPriorityFeePerGas?: bigint;
  readonly maxFeePerGas?: bigint;
  readonly maxFeePerBlobGas?: bigint;
  /** `null` creates a contract. */
  readonly to: Hex | null;
  readonly value: bigint;
  readonly input: Hex;
  readonly accessList?: readonly AccessListEntry[];
  readonly blobVersionedHashes?: readonly Hex[];
  readonly authorizationList?: readonly Authorization[];
  /** Present in deposits. They are unsigned: `v`, `r`, `s`, `nonce` and `gasPrice` are zero. */
  readonly deposit?: Deposit;
  /** JSON of a transaction in a block with types of no known format. Nothing in it is proven, and `raw` is empty. */
  readonly given?: Readonly<Record<string, unknown>>;
  readonly v: bigint;
  readonly r: bigint;
  readonly s: bigint;
}

/** Reads a transaction from its encoding in a block. @throws DECODE_FAILED naming the field */
export function decodeTransaction(raw: Uint8Array): Transaction {
  const [first] = raw;
  if (first === undefined) throw new DecodeError('transaction', 'it is empty');
  const hash = hexFromBytes(keccak256(raw));
  if (first >= 0xc0) return decodeLegacy(raw, hash);
  if (first === depositType) return decodeDeposit(raw, hash);
  if (first < 1 || first > 4) throw new DecodeError('transaction', `type ${first} is unknown`);
  return decodeTyped(first as 1 | 2 | 3 | 4, raw, hash);
}

function decodeLegacy(raw: Uint8Array, hash: Hex): Transaction {
  const reader = FieldReader.over('transaction', raw);
  const fields = {
    nonce: reader.integer('nonce'),
    gasPrice: reader.integer('gasPrice'),
    gas: reader.integer('gas'),
    to: recipient(reader),
    value: reader.integer('value'),
    input: hexFromBytes(reader.bytes('input')),
    v: reader.integer('v'),
    r: reader.integer('r'),
    s: reader.integer('s'),
  };
  reader.end();
  const { v } = fields;
  if (v === 27n || v === 28n) return { type: 0, hash, raw, ...fields };
  if (v < 35n) throw new DecodeError('transaction, field v', `${v} is not a signature parity`);
  return { type: 0, hash, raw, chainId: (v - 35n) / 2n, ...fields };
}

function decodeTyped(type: 1 | 2 | 3 | 4, raw: Uint8Array, hash: Hex): Transaction {
  const reader = FieldReader.over('transaction', raw.subarray(1));
  const chainId = reader.integer('chainId');
  const nonce = reader.integer('nonce');
  const fees =
    type === 1
      ? { gasPrice: reader.integer('gasPrice') }
      : { maxPriorityFeePerGas: reader.integer('maxPriorityFeePerGas'), maxFeePerGas: reader.integer('maxFeePerGas') };
  const call = {
    gas: reader.integer('gas'),
    to: type >= 3 ? hexFromBytes(reader.bytes('to', 20)) : recipient(reader),
    value: reader.integer('value'),
    input: hexFromBytes(reader.bytes('input')),
    accessList: reader.list('accessList', 'access list', (items) =>
      items.record('entry', 'access list entry', accessListEntry),
    ),
  };
  const blobs =
    type !== 3
      ? {}
      : {
          maxFeePerBlobGas: reader.integer('maxFeePerBlobGas'),
          blobVersionedHashes: reader.list('blobVersionedHashes', 'blob hashes', (items) =>
            hexFromBytes(items.bytes('hash', 32)),
          ),
        };
  const authorizations =
    type !== 4
      ? {}
      : {
          authorizationList: reader.list('authorizationList', 'authorization list', (items) =>
            items.record('entry', 'authorization', authorization),
          ),
        };
  const signature = { v: reader.integer('yParity'), r: reader.integer('r'), s: reader.integer('s') };
  reader.end();
  return { type, hash, raw, chainId, nonce, ...fees, ...call, ...blobs, ...authorizations, ...signature };
}

function recipient(reader: FieldReader): Hex | null {
  const to = reader.bytes('to', 0, 20);
  return to.length === 0 ? null : hexFromBytes(to);
}

function accessListEntry(fields: FieldReader): AccessListEntry {
  return {
    address: hexFromBytes(fields.bytes('address', 20)),
    storageKeys: fields.list('storageKeys', 'storage keys', (keys) => hexFromBytes(keys.bytes('key', 32))),
  };
}

function authorization(fields: FieldReader): Authorization {
  return {
    chainId: fields.integer('chainId'),
    address: hexFromBytes(fields.bytes('address', 20)),
    nonce: fields.integer('nonce'),
    yParity: fields.integer('yParity'),
    r: fields.integer('r'),
    s: fields.integer('s'),
  };
}

/** Encodes a transaction for a block: RLP for legacy, otherwise the type and the RLP payload (EIP-2718). */
export function encodeTransaction(transaction: Omit<Transaction, 'hash' | 'raw'>): Uint8Array {
  if (transaction.deposit !== undefined) return encodeDeposit({ ...transaction, deposit: transaction.deposit });
  const { type, chainId = 0n, nonce, gas, gasPrice = 0n, maxPriorityFeePerGas = 0n, maxFeePerGas = 0n } = transaction;
  const { to, value, input, accessList = [], v, r, s } = transaction;
  const call = [bytesFromHex(to ?? '0x'), bytesFromBigint(value), bytesFromHex(input)];
  const signature = [v, r, s].map(bytesFromBigint);
  if (type === 0) return encodeRlp([...[nonce, gasPrice, gas].map(bytesFromBigint), ...call, ...signature]);
  const fees = type === 1 ? [gasPrice] : [maxPriorityFeePerGas, maxFeePerGas];
  const items: RlpItem[] = [
    ...[chainId, nonce, ...fees, gas].map(bytesFromBigint),
    ...call,
    accessList.map(({ address, storageKeys }) => [bytesFromHex(address), storageKeys.map(bytesFromHex)]),
  ];
  if (type === 3) {
    const { maxFeePerBlobGas = 0n, blobVersionedHashes = [] } = transaction;
    items.push(bytesFromBigint(maxFeePerBlobGas), blobVersionedHashes.map(bytesFromHex));
  }
  if (type === 4) items.push((transaction.authorizationList ?? []).map(authorizationItem));
  const payload = encodeRlp([...items, ...signature]);
  const raw = new Uint8Array(payload.length + 1);
  raw[0] = type;
  raw.set(payload, 1);
  return raw;
}

function authorizationItem({ chainId, address, nonce, yParity, r, s }: Authorization): RlpItem {
  return [bytesFromBigint(chainId), bytesFromHex(address), ...[nonce, yParity, r, s].map(bytesFromBigint)];
}
