import { bytesFromHex, type Hex } from '@cairn/block-model';
import { keyOf } from './key-of.ts';

interface Known {
  readonly bytes: Uint8Array;
  readonly key: string;
  readonly word: bigint;
}

/** Addresses that are kept, a few hundred bytes each; at the bound they start anew. */
const knownMax = 10_000;

const byWord = new Map<bigint, Known>();
const byHex = new Map<Hex, Known>();
let byBytes = new WeakMap<Uint8Array, Known>();

/** The 20 bytes of an address that is a number. The same array for the same address as long as it is kept: nobody may change it. */
export function addressBytes(word: bigint): Uint8Array {
  return (byWord.get(word) ?? learn(word)).bytes;
}

/** 20 bytes from an address that is known to be good. The same array for the same address, as above. */
export function addressFromHex(hex: Hex): Uint8Array {
  let known = byHex.get(hex);
  if (known === undefined) {
    const word = BigInt(hex);
    known = byWord.get(word) ?? learn(word);
    byHex.set(hex, known);
  }
  return known.bytes;
}

/** The address as a word. */
export function wordOfAddress(address: Uint8Array): bigint {
  const known = byBytes.get(address);
  if (known !== undefined) return known.word;
  return BigInt(`0x${Buffer.from(address.buffer, address.byteOffset, address.byteLength).toString('hex')}`);
}

/** The address as a key: see {@link keyOf}. */
export function keyOfAddress(address: Uint8Array): string {
  return byBytes.get(address)?.key ?? keyOf(address);
}

function learn(word: bigint): Known {
  if (byWord.size >= knownMax) {
    byWord.clear();
    byHex.clear();
    byBytes = new WeakMap();
  }
  const bytes = bytesFromHex(`0x${word.toString(16).padStart(40, '0')}`);
  const known = { bytes, key: keyOf(bytes), word };
  byWord.set(word, known);
  byBytes.set(bytes, known);
  return known;
}
