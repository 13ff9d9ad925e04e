import { bytesFromHex, type Hex } from '@cairn/block-model';
import { hexDigitsFromBytes } from '@cairn/platform';
import { keyOf } from './key-of.ts';

/** An address in the forms that it is needed in. */
export interface Address {
  /** 20 of them. The same array for the same address as long as it is kept: nobody may change it. */
  readonly bytes: Uint8Array;
  /** See {@link keyOf}. */
  readonly key: string;
  readonly word: bigint;
}

/** Addresses that are kept, a few hundred bytes each; at the bound they start anew. */
const knownMax = 10_000;

const byWord = new Map<bigint, Address>();
const byHex = new Map<Hex, Address>();
let byBytes = new WeakMap<Uint8Array, Address>();

/** Those that were last met as integers, at places that their lowest one tells: for who meets a few again and again. */
const recentMax = 1024;
const integerCount = 5;
const recent: (Address | undefined)[] = new Array(recentMax).fill(undefined);
const recentIntegers = new Int32Array(recentMax * integerCount);

/** The address that is a number. */
export function addressOfWord(word: bigint): Address {
  return byWord.get(word) ?? learn(word);
}

/** The address in the low 20 bytes of a word of integers of 32 bits, the lowest first. */
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
  const address = addressOfWord(word);
  recent[place] = address;
  return address;
}

/** 20 bytes from an address that is known to be good: see {@link Address.bytes}. */
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
  return BigInt(`0x${hexDigitsFromBytes(address)}`);
}

/** The address as a key: see {@link keyOf}. */
export function keyOfAddress(address: Uint8Array): string {
  return byBytes.get(address)?.key ?? keyOf(address);
}

function learn(word: bigint): Address {
  if (byWord.size >= knownMax) {
    byWord.clear();
    byHex.clear();
    byBytes = new WeakMap();
    recent.fill(undefined);
  }
  const bytes = bytesFromHex(`0x${word.toString(16).padStart(40, '0')}`);
  const known = { bytes, key: keyOf(bytes), word };
  byWord.set(word, known);
  byBytes.set(bytes, known);
  return known;
}
