// Hot path: the place of each entry of a Solidity mapping is a digest of 64 bytes. `transfers` of `node tools/bench/evm.mjs`
// measures the recent digests. compile.spec.ts compares digests with those of @noble/hashes.
import { keccakPlace, recentDigests } from '../layout.ts';
import { assemble } from '../wasm/assemble.ts';
import type { FunctionCode } from '../wasm/module.ts';

const rounds = 24;
/** Rate of Keccak-256: bytes absorbed by one permutation. */
const rate = 136;
const rotations = [
  [0, 36, 3, 41, 18],
  [1, 44, 10, 45, 2],
  [62, 6, 43, 15, 61],
  [28, 55, 25, 21, 56],
  [27, 20, 39, 8, 14],
];
const lane = (x: number, y: number) => `s${(x % 5) + 5 * (y % 5)}`;
const five = [0, 1, 2, 3, 4];
const all = five.flatMap((y) => five.map((x) => [x, y] as const));

/** Round constants (FIPS 202, section 3.2.5), for the address from which {@link keccak} reads them. */
export function roundConstants(): BigUint64Array {
  const constants = new BigUint64Array(rounds);
  let register = 1;
  for (let round = 0; round < rounds; round++) {
    for (let j = 0; j <= 6; j++) {
      if ((register & 1) === 1) constants[round] = (constants[round] ?? 0n) ^ (1n << BigInt(2 ** j - 1));
      register = (register << 1) ^ ((register >> 7) * 0x171);
    }
  }
  return constants;
}

/** Keccak-f[1600] over the state in memory; its 25 lanes are in locals (FIPS 202, section 3.3). */
const permute = assemble({
  name: 'permute',
  params: [],
  results: [],
  locals: [
    ...all.map(([x, y]) => `${lane(x, y)}:i64`),
    ...all.map(([x, y]) => `b${x + 5 * y}:i64`),
    ...five.flatMap((x) => [`c${x}:i64`, `d${x}:i64`]),
    'round:i32',
  ],
  text: `
    ${all.map(([x, y]) => `i32.const ${keccakPlace.state} i64.load ${8 * (x + 5 * y)} set ${lane(x, y)}`).join(' ')}
    loop
      ${five.map((x) => `get ${lane(x, 0)} get ${lane(x, 1)} i64.xor get ${lane(x, 2)} i64.xor get ${lane(x, 3)} i64.xor get ${lane(x, 4)} i64.xor set c${x}`).join(' ')}
      ${five.map((x) => `get c${(x + 4) % 5} get c${(x + 1) % 5} i64.const 1 i64.rotl i64.xor set d${x}`).join(' ')}
      ${all.map(([x, y]) => `get ${lane(x, y)} get d${x} i64.xor i64.const ${rotations[x]?.[y]} i64.rotl set b${y + 5 * ((2 * x + 3 * y) % 5)}`).join(' ')}
      ${all.map(([x, y]) => `get b${x + 5 * y} get b${((x + 1) % 5) + 5 * y} i64.const -1 i64.xor get b${((x + 2) % 5) + 5 * y} i64.and i64.xor set ${lane(x, y)}`).join(' ')}
      get s0 get round i64.load ${keccakPlace.constants} i64.xor set s0
      get round i32.const 8 i32.add tee round i32.const ${8 * rounds} i32.ne br_if 0
    end
    ${all.map(([x, y]) => `i32.const ${keccakPlace.state} get ${lane(x, y)} i64.store ${8 * (x + 5 * y)}`).join(' ')}`,
});

const lanes = Array.from({ length: rate / 8 }, (_, index) => 8 * index);
const absorb = (from: string) =>
  lanes
    .map(
      (at) =>
        `i32.const ${keccakPlace.state} i32.const ${keccakPlace.state} i64.load ${at} get ${from} i64.load ${at} i64.xor i64.store ${at}`,
    )
    .join(' ');

/** Length of the key of a mapping with its slot, in bytes and in lanes. */
const pairBytes = 64;
const pairLanes = Array.from({ length: pairBytes / 8 }, (_, index) => 8 * index);
const digestLanes = [0, 8, 16, 24];
/** Odd factors, so that pairs that differ in one lane rarely share an entry. */
const mix = ['0x9e3779b97f4a7c15', '0xbf58476d1ce4e5b9'];
const copyLanes = (from: string, fromAt: number, to: string, toAt: number, lanesToCopy: readonly number[]) =>
  lanesToCopy.map((at) => `${to} ${from} i64.load ${fromAt + at} i64.store ${toAt + at}`).join(' ');

/** KECCAK256 of a range of memory. The digest is in the first 32 bytes of the state afterwards. */
function keccak(functions: Readonly<Record<string, number>>): FunctionCode {
  return assemble({
    name: 'keccak',
    params: ['at:i32', 'length:i32'],
    results: [],
    locals: ['entry:i32'],
    functions,
    text: `
      get length i32.const ${pairBytes} i32.ne if get at get length call absorbAll return end
      get at call entryOf set entry
      get entry i64.load ${pairBytes} i64.const 0 i64.ne
      ${pairLanes.map((at) => `get at i64.load ${at} get entry i64.load ${at} i64.xor`).join(' ')} ${'i64.or '.repeat(pairLanes.length - 1)}
      i64.eqz i32.and
      if ${copyLanes('get entry', pairBytes, `i32.const ${keccakPlace.state}`, 0, digestLanes)} return end
      get at get length call absorbAll
      ${copyLanes('get at', 0, 'get entry', 0, pairLanes)}
      ${copyLanes(`i32.const ${keccakPlace.state}`, 0, 'get entry', pairBytes, digestLanes)}`,
  });
}

/** Address of the entry of 64 bytes among the recent digests. */
const entryOf = assemble({
  name: 'entryOf',
  params: ['at:i32'],
  results: ['i32'],
  locals: ['mixed:i64'],
  text: `
    ${pairLanes.map((at) => `get mixed get at i64.load ${at} i64.xor i64.const ${mix[0]} i64.mul set mixed`).join(' ')}
    get mixed get mixed i64.const 32 i64.shr_u i64.xor i64.const ${mix[1]} i64.mul
    i64.const 40 i64.shr_u i32.wrap_i64 i32.const ${recentDigests.entries - 1} i32.and
    i32.const ${recentDigests.entryBytes} i32.mul i32.const ${recentDigests.at} i32.add`,
});

/** KECCAK256 of a range of memory without the recent digests. */
function absorbAll(functions: Readonly<Record<string, number>>): FunctionCode {
  const { state, block } = keccakPlace;
  return assemble({
    name: 'absorbAll',
    params: ['at:i32', 'length:i32'],
    results: [],
    locals: ['last:i32'],
    functions,
    text: `
      i32.const ${state} i32.const 0 i32.const 200 memory.fill
      block loop
        get length i32.const ${rate} i32.lt_u br_if 1
        ${absorb('at')}
        call permute
        get at i32.const ${rate} i32.add set at get length i32.const ${rate} i32.sub set length br 0
      end end
      i32.const ${block} i32.const 0 i32.const ${rate} memory.fill
      i32.const ${block} get at get length memory.copy
      i32.const ${block} get length i32.add i32.const 1 i32.store8 0
      i32.const ${block + rate - 8} i32.const ${block + rate - 8} i64.load 0 i64.const 0x8000000000000000 i64.or i64.store 0
      i32.const ${block} set last
      ${absorb('last')}
      call permute`,
  });
}

export function hashing(functions: Readonly<Record<string, number>>): FunctionCode[] {
  return [permute, entryOf, absorbAll(functions), keccak(functions)];
}
