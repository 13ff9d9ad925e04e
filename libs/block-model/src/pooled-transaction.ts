import { DecodeError, encodeRlp, encodeRlpList, type RlpItem } from '@cairn/rlp';
import { sha256 } from '@noble/hashes/sha2.js';
import { FieldReader } from './field-reader.ts';
import { type Hex, hexFromBytes } from './hex.ts';
import { decodeTransaction, type Transaction } from './transaction.ts';

/** Blobs of a blob transaction with their proofs, which are part of its network form only (EIP-4844, EIP-7594). */
export interface BlobSidecar {
  /** 0: one proof per blob (EIP-4844). 1: {@link cellProofsPerBlob} proofs per blob (EIP-7594). */
  readonly version: 0 | 1;
  readonly blobs: readonly Uint8Array[];
  readonly commitments: readonly Uint8Array[];
  readonly proofs: readonly Uint8Array[];
}

/** A transaction as wallets send it: a blob transaction has its sidecar. */
export interface PooledTransaction {
  readonly transaction: Transaction;
  readonly sidecar?: BlobSidecar;
}

/** Bytes of a blob: 4,096 field elements of 32 bytes (EIP-4844). */
const blobBytes = 131_072;
/** Proofs of one blob in a sidecar of version 1: one per cell (EIP-7594). */
export const cellProofsPerBlob = 128;
/** Bytes of a commitment or a proof, a compressed point of BLS12-381. */
const pointBytes = 48;
const versionedHashVersion = 1;

/** Go types of geth, which its error texts contain. */
const goTypes = ['LegacyTx', 'AccessListTx', 'DynamicFeeTx', 'BlobTx', 'SetCodeTx'] as const;
const uint64Max = 2n ** 64n - 1n;

/**
 * Reads a transaction in the form in which wallets send it: of a blob transaction, the network form with sidecar, or the
 * form in a block. The bytes are viewed, not copied.
 * @throws DECODE_FAILED; for unknown types and too large numbers with the text of geth
 */
export function decodePooledTransaction(raw: Uint8Array): PooledTransaction {
  const [first = 0] = raw;
  if (first < 0x80) {
    if (raw.length <= 1) throw new DecodeError('transaction', 'typed transaction too short');
    if (first < 1 || first > 4) throw new DecodeError('transaction', 'transaction type not supported');
  }
  const pooled = first === 3 ? decodeBlobTransaction(raw) : { transaction: decodeTransaction(raw) };
  requireUint64(pooled.transaction);
  return pooled;
}

/** @throws DECODE_FAILED for a nonce or gas limit above 64 bits, which a block cannot contain */
function requireUint64({ type, nonce, gas }: Transaction): void {
  for (const [field, value] of [['Nonce', nonce] as const, ['Gas', gas] as const])
    if (value > uint64Max)
      throw new DecodeError(
        'transaction',
        `rlp: input string too long for uint64, decoding into (types.${goTypes[type]}).${field}`,
      );
}

function decodeBlobTransaction(raw: Uint8Array): PooledTransaction {
  const payload = raw.subarray(1);
  const reader = FieldReader.over('blob transaction', payload);
  if (!reader.isAtList) return { transaction: decodeTransaction(raw) };
  const inner = reader.raw('transaction');
  const isVersioned = !reader.isAtList;
  const version = isVersioned ? reader.integer('version') : 0n;
  if (isVersioned && version !== 1n) throw new DecodeError('transaction', `unsupported blob tx version ${version}`);
  const sidecar: BlobSidecar = {
    version: isVersioned ? 1 : 0,
    blobs: reader.list('blobs', 'blobs', (items) => items.bytes('blob', blobBytes)),
    commitments: reader.list('commitments', 'commitments', (items) => items.bytes('commitment', pointBytes)),
    proofs: reader.list('proofs', 'proofs', (items) => items.bytes('proof', pointBytes)),
  };
  reader.end();
  const canonical = new Uint8Array(inner.length + 1);
  canonical[0] = 3;
  canonical.set(inner, 1);
  return { transaction: decodeTransaction(canonical), sidecar };
}

/** Encodes a transaction in the form in which wallets send it; the inverse of {@link decodePooledTransaction}. */
export function encodePooledTransaction({ transaction: { raw }, sidecar }: PooledTransaction): Uint8Array {
  if (sidecar === undefined) return raw;
  const { version, blobs, commitments, proofs } = sidecar;
  const items = [blobs, commitments, proofs].map((list) => encodeRlp(list as RlpItem[]));
  const versioned = version === 1 ? [encodeRlp(Uint8Array.of(1)), ...items] : items;
  const payload = encodeRlpList([raw.subarray(1), ...versioned]);
  const network = new Uint8Array(payload.length + 1);
  network[0] = 3;
  network.set(payload, 1);
  return network;
}

/** Returns the versioned hash of a blob's commitment (EIP-4844). */
export function blobHashOf(commitment: Uint8Array): Hex {
  // Inputs have 48 bytes, so the portable hash is fast enough.
  const hash = sha256(commitment);
  hash[0] = versionedHashVersion;
  return hexFromBytes(hash);
}
