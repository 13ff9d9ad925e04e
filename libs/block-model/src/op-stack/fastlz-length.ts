// Hot path: runs over every byte of the transactions whose receipts are printed. op-stack.spec.ts has the vectors of op-geth.

const hashBits = 13;
/** Bytes at the end that are never matched. */
const tailBytes = 13;
const distanceMax = 0x1fff;
/** Longest match of one instruction, and literals of one instruction. */
const matchMax = 262;
const literalsMax = 32;

/** Length of data after FastLZ compression at level 1, as op-geth estimates it for L1 fees since the Fjord fork. */
export function fastLzLength(data: Uint8Array): number {
  const table = new Uint32Array(1 << hashBits);
  const byteAt = (at: number) => data[at] as number;
  const threeBytes = (at: number) => byteAt(at) | (byteAt(at + 1) << 8) | (byteAt(at + 2) << 16);
  const remember = (at: number) => {
    table[hashOf(threeBytes(at))] = at;
  };
  const limit = Math.max(0, data.length - tailBytes);
  let length = 0;
  let literalsFrom = 0;
  let at = 2;
  while (at < limit) {
    const value = threeBytes(at);
    const hash = hashOf(value);
    const candidate = table[hash] as number;
    table[hash] = at;
    const isMatch = at - candidate <= distanceMax && value === threeBytes(candidate);
    if (!isMatch) {
      at += 1;
      continue;
    }
    // A match in the last position before the limit does not count.
    if (at + 1 >= limit) break;
    if (at > literalsFrom) length += literalsLength(at - literalsFrom);
    const matched = commonLength(data, candidate + 3, at + 3, limit + 9);
    length += matchLength(matched);
    at += matched;
    remember(at);
    remember(at + 1);
    at += 2;
    literalsFrom = at;
  }
  return length + literalsLength(data.length - literalsFrom);
}

function hashOf(value: number): number {
  return Math.imul(2_654_435_769, value) >>> (32 - hashBits);
}

/** Number of compared positions up to `end`, the first difference included. */
function commonLength(data: Uint8Array, one: number, other: number, end: number): number {
  let length = 0;
  while (length < end - other) {
    length += 1;
    if (data[one + length - 1] !== data[other + length - 1]) break;
  }
  return length;
}

function literalsLength(count: number): number {
  const rest = count % literalsMax;
  return (literalsMax + 1) * Math.floor(count / literalsMax) + (rest === 0 ? 0 : rest + 1);
}

function matchLength(matched: number): number {
  const count = matched - 1;
  return 3 * Math.floor(count / matchMax) + (count % matchMax >= 6 ? 3 : 2);
}
