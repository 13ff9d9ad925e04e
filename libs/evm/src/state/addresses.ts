import { bytesFromHex, type Hex } from '@cairn/block-model';
import { hexDigitsFromBytes } from '@cairn/platform';
import { mapKeyFromBytes } from './map-key.ts';

export const zeroAddress: Hex = `0x${'00'.repeat(20)}`;

/** An address in the three forms that engines and state use. */
export interface Address {
  /** 20 bytes. Calls for the same address share this array while it is cached: do not modify it. */
  readonly bytes: Uint8Array;
  /** See {@link mapKeyFromBytes}. */
  readonly key: string;
  readonly word: bigint;
}

/** Maximum number of cached addresses, a few hundred bytes each. At the bound the cache is cleared. */
const knownMax = 10_000;

const byWord = new Map<bigint, Address>();
const byHex = new Map<Hex, Address>();
let byBytes = new WeakMap<Uint8Array, Address>();

/** Direct-mapped cache of addresses read from integers, indexed by the low bits: most code uses a few addresses repeatedly. */
const recentMax = 1024;
const integerCount = 5;
const recent: (Address | undefined)[] = new Array(recentMax).fill(undefined);
const recentIntegers = new Int32Array(recentMax * integerCount);

/** Returns the address for a word. */
export function addressFromWord(word: bigint): Address {
  return byWord.get(word) ?? learn(word);
}

/** Returns the address in the low 20 bytes of a word of eight 32-bit integers, least significant first. */
export function addressAt(integers: Int32Array, at: number): Address {
  const place = (integers[at] as number) & (recentMax - 1);
  const known = recent[place];
  if (known !== undefined) {
    let index = 0;
    while (index < integerCount && recentIntegers[place * integerCount + index] === integers[at + index]) index++;
    if (index === integerCount) return known;
  }
  let word = 0n;
  for (let index = integerCount - 1; index >= 0; index--) {
    word = (word << 32n) | BigInt((integers[at + index] as number) >>> 0);
    recentIntegers[place * integerCount + index] = integers[at + index] as number;
  }
  const address = addressFromWord(word);
  recent[place] = address;
  return address;
}

/** Bytes of a valid address in hex: see `Address.bytes`. */
export function addressFromHex(hex: Hex): Uint8Array {
  let known = byHex.get(hex);
  if (known === undefined) {
    const word = BigInt(hex);
    known = byWord.get(word) ?? learn(word);
    byHex.set(hex, known);
  }
  return known.bytes;
}

/** Address as a word. */
export function wordFromAddress(address: Uint8Array): bigint {
  const known = byBytes.get(address);
  if (known !== undefined) return known.word;
  return BigInt(`0x${hexDigitsFromBytes(address)}`);
}

/** Address as a map key: see {@link mapKeyFromBytes}. */
export function mapKeyOfAddress(address: Uint8Array): string {
  return byBytes.get(address)?.key ?? mapKeyFromBytes(address);
}

function learn(word: bigint): Address {
  if (byWord.size >= knownMax) {
    byWord.clear();
    byHex.clear();
    byBytes = new WeakMap();
    recent.fill(undefined);
  }
  const bytes = bytesFromHex(`0x${word.toString(16).padStart(40, '0')}`);
  const known = { bytes, key: mapKeyFromBytes(bytes), word };
  byWord.set(word, known);
  byBytes.set(bytes, known);
  return known;
}
