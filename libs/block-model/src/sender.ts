import { keccak256 } from '@cairn/cid';
import { concatBytes } from '@cairn/platform';
import { DecodeError, encodeRlp, encodeRlpList } from '@cairn/rlp';
import { recoverPublicKey } from '#recover-public-key';
import { FieldReader } from './field-reader.ts';
import { bytesFromBigint, bytesFromHex, type Hex, hexFromBytes } from './hex.ts';
import { encodeTransaction, type Transaction } from './transaction.ts';

const senders = new WeakMap<Transaction, Hex>();

/** Returns the account that signed a transaction; the result is cached. @throws DECODE_FAILED for an invalid signature */
export function senderOf(transaction: Transaction): Hex {
  const known = senders.get(transaction);
  if (known !== undefined) return known;
  if (transaction.deposit !== undefined) return transaction.deposit.from;
  const { r, s } = transaction;
  const yParity = yParityOf(transaction);
  const isWhole = r <= wordMax && s <= wordMax && (yParity === 0n || yParity === 1n);
  const publicKey = isWhole
    ? recoverPublicKey(signingHash(transaction), bytesFromHex(`0x${digitsOf(r)}${digitsOf(s)}`), Number(yParity))
    : undefined;
  if (publicKey === undefined) throw new DecodeError(`transaction ${transaction.hash}`, 'its signature is not valid');
  const sender = hexFromBytes(keccak256(publicKey).subarray(12));
  senders.set(transaction, sender);
  return sender;
}

const wordMax = 2n ** 256n - 1n;
const digitsOf = (word: bigint) => word.toString(16).padStart(64, '0');

/** Sets the sender of a transaction that cannot be verified. */
export function assignSender(transaction: Transaction, sender: Hex): void {
  senders.set(transaction, sender);
}

/** Creates an unsigned transaction for simulations: its signature is zero, and its sender is `from`. */
export function unsignedTransaction(from: Hex, fields: UnsignedFields): Transaction {
  const whole = { ...fields, v: 0n, r: 0n, s: 0n };
  const raw = encodeTransaction(whole);
  const transaction = { ...whole, raw, hash: hexFromBytes(keccak256(raw)) };
  senders.set(transaction, from);
  return transaction;
}

export type UnsignedFields = Omit<Transaction, 'hash' | 'raw' | 'v' | 'r' | 's'>;

/** Returns 0 or 1, the parity of the signature's point, from any form of `v`. */
export function yParityOf({ type, v, chainId }: Transaction): bigint {
  if (type !== 0 || v === 0n) return v;
  return chainId === undefined ? v - 27n : v - 35n - chainId * 2n;
}

/** Returns the hash that was signed (EIP-155 for legacy transactions with a chain id, EIP-2718 for typed ones). */
export function signingHash({ type, raw, chainId }: Transaction): Uint8Array {
  const reader = FieldReader.over('transaction', type === 0 ? raw : raw.subarray(1));
  const items: Uint8Array[] = [];
  while (!reader.isDone) items.push(reader.raw('field'));
  const unsigned = items.slice(0, -3);
  if (type !== 0) return keccak256(concatBytes([Uint8Array.of(type), encodeRlpList(unsigned)]));
  const replayProtection = chainId === undefined ? [] : [encodeRlp(bytesFromBigint(chainId)), emptyItem, emptyItem];
  return keccak256(encodeRlpList([...unsigned, ...replayProtection]));
}

const emptyItem = encodeRlp(new Uint8Array(0));
