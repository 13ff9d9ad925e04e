// Hot path: two table look-ups per byte. Fingerprints have 53 bits, kept as two integers: `high` has bits 32 and up. Bench:
// import-file.bench.ts.
import { chunkBytesMax } from './chunker.ts';
import { InvalidOptionError } from './errors.ts';

/** Bounds of a Rabin chunk in bytes. `average` is rounded down to a power of two. */
export interface RabinBounds {
  readonly min: number;
  readonly average: number;
  readonly max: number;
}

/** Irreducible polynomial over GF(2) of IPFS, of degree 53. Bit i is the coefficient of x^i. */
const polynomial = 17437180132763653n;
const degree = 53;
const windowBytes = 16;
/** Smallest lower bound that Kubo accepts as an option. */
export const rabinMinBytes = windowBytes;
const word = 0xffffffffn;

/**
 * Creates Kubo's Rabin chunker: a function that returns the length of the first chunk. Its input has `max` bytes, or is the
 * rest of the file. A chunk ends where the low bits of the fingerprint of its last 16 bytes are zero.
 * @throws OPTION_INVALID for bounds that are not ascending or out of range
 */
export function createRabinCut({ min, average, max }: RabinBounds): (bytes: Uint8Array) => number {
  if (!(min >= windowBytes && min <= max && max <= chunkBytesMax && average >= 1 && average <= chunkBytesMax)) {
    throw new InvalidOptionError(
      'chunker',
      `expected rabin-<min>-<average>-<max> with ${windowBytes} <= min <= max <= ${chunkBytesMax} and an average of 1 or more, not ${min}, ${average} and ${max}`,
    );
  }
  const mask = 2 ** Math.floor(Math.log2(average)) - 1;
  const { reduceHigh, reduceLow, leaveHigh, leaveLow } = tables();
  return (bytes) => {
    const { length } = bytes;
    if (length <= min) return length;
    // The window starts with zeros before a single 1, so that leading zeros count. The 1 leaves the window with its last
    // byte.
    let high = 0;
    let low = 1;
    for (let at = min - windowBytes; at < min; at++) {
      if (at === min - 1) {
        high ^= leaveHigh[1] ?? 0;
        low ^= leaveLow[1] ?? 0;
      }
      const top = (high >>> 13) & 255;
      high = ((high << 8) | (low >>> 24)) ^ (reduceHigh[top] ?? 0);
      low = ((low << 8) | (bytes[at] ?? 0)) ^ (reduceLow[top] ?? 0);
    }
    const end = Math.min(length, max);
    let at = min;
    while ((low & mask) !== 0 && at < end) {
      const leaving = bytes[at - windowBytes] ?? 0;
      high ^= leaveHigh[leaving] ?? 0;
      low ^= leaveLow[leaving] ?? 0;
      const top = (high >>> 13) & 255;
      high = ((high << 8) | (low >>> 24)) ^ (reduceHigh[top] ?? 0);
      low = ((low << 8) | (bytes[at] ?? 0)) ^ (reduceLow[top] ?? 0);
      at++;
    }
    return at;
  };
}

interface Tables {
  /** Remainder of a byte that is shifted beyond the degree. It also clears the byte. */
  readonly reduceHigh: Int32Array;
  readonly reduceLow: Int32Array;
  /** Contribution of a byte to the fingerprint when it leaves the window. */
  readonly leaveHigh: Int32Array;
  readonly leaveLow: Int32Array;
}

let made: Tables | undefined;

/** Returns the tables of the polynomial, created on first use, since few programs use Rabin. */
function tables(): Tables {
  if (made !== undefined) return made;
  const of = (value: (byte: bigint) => bigint) => {
    const values = Array.from({ length: 256 }, (_, byte) => value(BigInt(byte)));
    return [
      Int32Array.from(values, (each) => Number(BigInt.asIntN(32, each >> 32n))),
      Int32Array.from(values, (each) => Number(BigInt.asIntN(32, each & word))),
    ] as const;
  };
  const [reduceHigh, reduceLow] = of((byte) => {
    const shifted = byte << BigInt(degree);
    return remainder(shifted) | shifted;
  });
  const [leaveHigh, leaveLow] = of((byte) => {
    let fingerprint = remainder(byte);
    for (let shift = 1; shift < windowBytes; shift++) fingerprint = remainder(fingerprint << 8n);
    return fingerprint;
  });
  made = { reduceHigh, reduceLow, leaveHigh, leaveLow };
  return made;
}

/** Computes the remainder of a division by the polynomial, in GF(2)[x]. */
function remainder(value: bigint): bigint {
  let rest = value;
  for (let bits = rest.toString(2).length; bits > degree; bits = rest.toString(2).length) {
    rest ^= polynomial << BigInt(bits - 1 - degree);
  }
  return rest;
}
