import { keccak256 } from '@cairn/cid';
import { bytesFromHex, type Hex } from './hex.ts';
import type { Log } from './log.ts';

/** Condition of eth_getLogs: lists are alternatives; `null` and an empty list match anything. */
export interface LogQuery {
  readonly addresses?: readonly Hex[];
  /** By position. */
  readonly topics?: readonly (readonly Hex[] | null)[];
}

/** Three bits of a value in a bloom filter: byte and mask (Yellow Paper, section 4.3.1). */
type BloomBits = readonly (readonly [number, number])[];

/** Values of which a bloom must contain one in each list. Empty lists match anything. */
export interface BloomQuery {
  readonly values: readonly (readonly Hex[])[];
}

/** Values of a log query, for its bloom test. */
export function bloomQueryOf({ addresses = [], topics = [] }: LogQuery): BloomQuery {
  return { values: [addresses, ...topics.map((topic) => topic ?? [])] };
}

/** Creates a test for the bloom of a header. False means that the block has no matching log. */
export function createBloomTest({ values }: BloomQuery): (bloom: Hex) => boolean {
  const groups = values.filter((list) => list.length > 0).map((list) => list.map(bitsOf));
  return (bloom) => {
    const bytes = bytesFromHex(bloom);
    const has = (bits: BloomBits) => bits.every(([byte, mask]) => ((bytes[byte] as number) & mask) !== 0);
    return groups.every((list) => list.some(has));
  };
}

function bitsOf(value: Hex): BloomBits {
  const hash = keccak256(bytesFromHex(value));
  return [0, 2, 4].map((at) => {
    const bit = (((hash[at] as number) << 8) | (hash[at + 1] as number)) & 2047;
    return [255 - (bit >> 3), 1 << (bit & 7)] as const;
  });
}

/** Reports whether a log matches. */
export function isMatch({ addresses = [], topics = [] }: LogQuery, log: Log): boolean {
  if (addresses.length > 0 && !addresses.includes(log.address)) return false;
  if (topics.length > log.topics.length) return false;
  return topics.every((values, i) => !values?.length || values.includes(log.topics[i] as Hex));
}
