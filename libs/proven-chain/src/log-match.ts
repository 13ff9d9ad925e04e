import { bytesFromHex, type Hex, type Log } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';

/** Condition of eth_getLogs: lists are alternatives; `null` and an empty list match anything. */
export interface LogQuery {
  readonly addresses?: readonly Hex[];
  /** By position. */
  readonly topics?: readonly (readonly Hex[] | null)[];
}

/** Three bits of a value in a bloom filter: byte and mask (Yellow Paper, section 4.3.1). */
type BloomBits = readonly (readonly [number, number])[];

/** Tests the bloom of a header. False means that the block has no matching log. */
export function createBloomTest({ addresses = [], topics = [] }: LogQuery): (bloom: Hex) => boolean {
  const groups = [addresses, ...topics.map((topic) => topic ?? [])]
    .filter((values) => values.length > 0)
    .map((values) => values.map(bitsOf));
  return (bloom) => {
    const bytes = bytesFromHex(bloom);
    const has = (bits: BloomBits) => bits.every(([byte, mask]) => ((bytes[byte] as number) & mask) !== 0);
    return groups.every((values) => values.some(has));
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
