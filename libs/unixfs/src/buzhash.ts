// Hot path: one table look-up per byte, on integers of 32 bits. Bench: import-file.bench.ts. The plain version in
// chunkers.spec.ts is its oracle.
import { bytesFromBase64 } from '@cairn/platform';

/** Kubo's bounds of a buzhash chunk in bytes. Only the last chunk of a file can be shorter. */
export const buzhashBytes = { min: 128 * 1024, max: 512 * 1024 } as const;

const windowBytes = 32;
const mask = 2 ** 17 - 1;

/** Returns the length of the first chunk. `bytes` has `buzhashBytes.max` bytes, or is the rest of the file. */
export function cutBuzhash(bytes: Uint8Array): number {
  const { length } = bytes;
  if (length < buzhashBytes.min) return length;
  let state = 0;
  for (let at = buzhashBytes.min - windowBytes; at < buzhashBytes.min; at++) {
    state = ((state << 1) | (state >>> 31)) ^ (table[bytes[at] ?? 0] ?? 0);
  }
  let at = buzhashBytes.min;
  while (at < length && (state & mask) !== 0) {
    state = ((state << 1) | (state >>> 31)) ^ (table[bytes[at - windowBytes] ?? 0] ?? 0) ^ (table[bytes[at] ?? 0] ?? 0);
    at++;
  }
  return at;
}

// Constants of the cut points: 256 words of 32 bits, little-endian, in which every bit is set in exactly half of the words.
// Source: 200 rounds of shuffles by Go's math/rand with seed 0. chunkers.spec.ts checks the balance, vectors.spec.ts the
// cut points.
const tableBase64 =
  '1ec2YgubJxCCgYFyFGVS3D0e1C/I+H53hVLugzc2jywanAQvkZffVx8VB5IYSFSbWPbudGDKKCAa2XECfliuJ1/6+ezNcW4jLoo69IAzsQss' +
  'kVee22yiiXE9z5/xpm2odvNJnMfsajTuqZTwy+mZ6sYTF7D7z4oI+6BgKWxiSjRGKvJ/pRp6bRZJcWrKVNRBMLglg2P1ZQvK7H9EXurQ+dTT' +
  '2cF0xV7LAumqVefA7YYznjoN4cEN5zn2xeMKFEObxQpJxvswQF7VbZeO6mh0qG/vMPil1R7MeE4fYQUZ0d0EOWHyuWdsVsxcWpCkszd7iolT' +
  'S53Sj2t1FdiqFOQbUefB+jx5oSmA2v4O1AIOOAf975vcgpAELTF4vJmoAlD/RnbOIZsEzQFPmUMPpcXGw1Bf2rvHXsEOthnbmrmAHgxoKbW5' +
  'GSQWrgW0QiWdLqSRaPbga7mm1260dye8Vs5i4dWqZkIEt/1gpTL4Zsr2lZXtPOj+mY0iVSgOvxJZZIlm2q+JB6i6ggJDo2cjsJEUWbGk8S+2' +
  'OQdBoFVwmymyDi5Sgvwk39MnM2kmeLBp4GIcATFQf66TBfVdJ+vZeLYO4N7MF1kKZrmXLSAG3SKeIu2/Ncep5m8x1kwux2+i3wYCWlyx1kl7' +
  '2GlFd8kJYV1EE6p1qTW5qZqFEwA4ZZFj+9H9VZLCkTtKeCZM57lATc5jnr58wJ5S5OYvY7MPydk4lKiUL2gRRv347cF+JdbjXEexLe5gArD6' +
  'KnhIniveQLOGyv2CFL+zQf6wEqTUjLmd4FNdr8Ff4lV+OGs0070sobe6J2ic7ov3cVIPOoywkQQVEult8k46PiO66wnT/+CpoCFZK8o8ibnu' +
  'iJ6CMyrMcJjQucQjoy6j6yJNrL1MxMg7lwONHjV3MvmfADt4Qje4DnHcISYDfQHtoQp2XEuBaVp/BOOW3pw8qfWGXGGlKjK0TVMlQuMtLg1L' +
  'zPzMVyqsCwRtoPA313i8ZvfR8jyVp/WF2t+81bcTUiij6LwYX4/TREIJ21MSV/7up38xQ08yStk5/D+O+rNRn+5LeoLGu3hQA1yfbCj+Aoa2' +
  'WiTX92vtipjECvoQ4D9p41/Gy0lXpDflhCtj85/emg9UIDSbjKqzdsRb10tXHa0AkZJN3iFHBRvfJ0aFsVhkZ+e3WE6Q36FXr5czxE29/W0l' +
  'pvOYOfYzWODxJs8K4tbZf/VNCzCQkELfibwc0GjjPonPRqBCzBsYjnd2XCZnxKSB6aEdmYKUco9wYq7i5nAYRPy2sOGVJfhFBH+0k1q+9Jxe' +
  '53HahLCClZ3vNfib4mEfWYVZMkMu4y1dD7+PjTgPs5VuW60H306TTg6Z1DxZ4lOQfYVBXA==';

const packed = bytesFromBase64(tableBase64);
const packedView = new DataView(packed.buffer, packed.byteOffset);
/** Word that each byte value adds to the hash. */
export const buzhashTable: Int32Array = Int32Array.from({ length: 256 }, (_, index) =>
  packedView.getInt32(index * 4, true),
);
const table = buzhashTable;
