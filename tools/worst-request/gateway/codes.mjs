import { oneOf } from '../domains.mjs';

const byte = (value) => value.toString(16).padStart(2, '0');
const push3 = (value) => `62${Math.min(value, 0xffffff).toString(16).padStart(6, '0')}`;

/**
 * EVM programs with a high cost per gas, by name; `size` in bytes where a program has one. Most loop until their gas
 * ends.
 */
const programs = {
  none: () => '',
  loop: () => '5b5f56',
  keccak: (size) => `5b${push3(size)}5f20505f56`,
  memory: () => '5b5951505f56',
  memoryJumps: () => '5b59800151505f56',
  copy: (size) => `5b${push3(size)}5f5f39${'5f56'}`,
  memoryCopy: (size) => `5b${push3(size)}5f60015e5f56`,
  callItself: () => '5b5f5f5f5f5f305af1505f56',
  createLoop: (size) => `5b${push3(size)}5f5ff0505f56`,
  store: () => '5b5a5a555f56',
  transientStore: () => '5b5a5a5d5f56',
  loadCold: () => '5b5a54505f56',
  balanceCold: () => '5b5a31505f56',
  codeHashCold: () => '5b5a3f505f56',
  codeCopyCold: (size) => `5b${push3(size)}5f5f5a3c5f56`,
  blockHash: () => '5b5a40505f56',
  logs: (size) => `5b${push3(size)}5fa05f56`,
  exponent: () => '5b5f195f190a505f56',
  remainder: () => '5b5f195f195f1909505f56',
  returnMuch: (size) => `${push3(size)}5ff3`,
  revertMuch: (size) => `${push3(size)}5ffd`,
  jumpDestinations: (size) => '5b'.repeat(Math.max(1, size)),
  pushes: (size) => `7f${'ab'.repeat(32)}50`.repeat(Math.max(1, Math.floor(size / 34))),
  branches: (size) => '5b5f600157'.repeat(Math.max(1, Math.floor(size / 5))),
  sums: (size) => '5f5f0150'.repeat(Math.max(1, Math.floor(size / 4))),
  ...Object.fromEntries(
    [1, 2, 3, 4, 5, 6, 7, 8, 9, 0x0a, 0x0b, 0x0c, 0x0d, 0x0e, 0x0f, 0x10, 0x11].map((precompile) => [
      `precompile${precompile}`,
      // Calls the precompile repeatedly with the input of the call.
      () => `365f5f375b5f5f365f5f60${byte(precompile)}5af1506004${'56'}`,
    ]),
  ),
  precompile256: () => '365f5f375b5f5f365f5f6101005af150600456',
};

/** Gene of a program. */
export const program = oneOf(...Object.keys(programs));

/** Code of a program, made distinct by a tail that does not run. */
export function codeOf(name, size = 32, n = 0) {
  const tail = n === 0 ? '' : `00${n.toString(16).padStart(8, '0')}`;
  return `0x${programs[name](size)}${tail}`;
}

const word = (value) => value.toString(16).padStart(64, '0');

/** Inputs of calls by name; `size` in bytes. */
const inputs = {
  empty: () => '',
  zeros: (size) => '00'.repeat(size),
  ones: (size) => 'ff'.repeat(size),
  /** Numbers of `size` bytes for MODEXP. */
  power: (size) => `${word(size)}${word(size)}${word(size)}${'ff'.repeat(size * 3)}`,
  powerOfSquares: (size) => `${word(size)}${word(32)}${word(size)}${'ff'.repeat(size * 2 + 32)}`,
  /** Maximum BLAKE2F rounds of its four bytes, with gas for none of them. */
  rounds: (size) =>
    `${Math.min(size * 1000, 0xffffffff)
      .toString(16)
      .padStart(8, '0')}${'00'.repeat(208)}01`,
  /** Pairs of points at infinity: a pairing without a multiplication. */
  pairs: (size) => '00'.repeat(192 * Math.ceil(size / 192)),
  generators: (size) =>
    `${word(1)}${word(2)}198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c21800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa`.repeat(
      Math.max(1, Math.ceil(size / 192)),
    ),
};

/** Gene of an input. */
export const input = oneOf(...Object.keys(inputs));

export const inputOf = (name, size) => `0x${inputs[name](size)}`;
