import { keccak256 } from '@cairn/cid';
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { DecodeError } from './errors.ts';
import { type Hex, hexFromBytes } from './hex.ts';
import type { Transaction } from './transaction.ts';

const senders = new WeakMap<Transaction, Hex>();

/** The account that signed a transaction; recovered once and remembered. @throws DECODE_FAILED for an invalid signature */
export function senderOf(transaction: Transaction): Hex {
  const known = senders.get(transaction);
  if (known !== undefined) return known;
  const { r, s, signingHash } = transaction;
  try {
    const signature = new secp256k1.Signature(r, s).addRecoveryBit(Number(yParityOf(transaction)));
    const publicKey = signature.recoverPublicKey(signingHash).toBytes(false);
    const sender = hexFromBytes(keccak256(publicKey.subarray(1)).subarray(12));
    senders.set(transaction, sender);
    return sender;
  } catch (error) {
    throw new DecodeError(`transaction ${transaction.hash}`, 'its signature is not valid', error);
  }
}

/** 0 or 1: which of two points the signature stands for, whatever `v` says besides. */
export function yParityOf({ type, v, chainId }: Transaction): bigint {
  if (type !== 0) return v;
  return chainId === undefined ? v - 27n : v - 35n - chainId * 2n;
}
