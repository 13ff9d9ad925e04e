import { assemble } from './wasm/assemble.ts';
import { encodeModule } from './wasm/module.ts';
import { webAssembly } from './wasm/web-assembly.ts';

/** Initial values of BLAKE2b (RFC 7693, section 2.6): fractional parts of the square roots of the first primes. */
const initial = [
  0x6a09e667f3bcc908n,
  0xbb67ae8584caa73bn,
  0x3c6ef372fe94f82bn,
  0xa54ff53a5f1d36f1n,
  0x510e527fade682d1n,
  0x9b05688c2b3e6c1fn,
  0x1f83d9abfb41bd6bn,
  0x5be0cd19137e2179n,
];
/** Message schedule: order of the message's words in each round (RFC 7693, section 2.7). */
const schedule = [
  [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15],
  [14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3],
  [11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4],
  [7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8],
  [9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13],
  [2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9],
  [12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11],
  [13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10],
  [6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5],
  [10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0],
];
/** Indices that a round mixes: columns, then diagonals. */
const quarters = [
  [0, 4, 8, 12],
  [1, 5, 9, 13],
  [2, 6, 10, 14],
  [3, 7, 11, 15],
  [0, 5, 10, 15],
  [1, 6, 11, 12],
  [2, 7, 8, 13],
  [3, 4, 9, 14],
];

/** Length of the input of EIP-152: rounds, state, message, offset, final flag. */
const inputBytes = 213;
/** Addresses: state, message and offset as in the input, then the work vector. */
const place = { state: 0, message: 64, offset: 192, work: 208 } as const;
/** Rounds in one call into WebAssembly, a multiple of the schedule. V8 optimizes a function that is called again, not one that only loops. */
const roundsPerCall = 20_000;

const sixteen = Array.from({ length: 16 }, (_, index) => index);
const load = (at: number) => `i32.const 0 i64.load ${at}`;

/** The mixing function G (RFC 7693, section 3.1). */
function mixed([a, b, c, d]: readonly number[], x = 0, y = 0): string {
  const step = (word: number, addend: number, rotated: number, left: number, more = '') =>
    `get v${word} get v${addend} i64.add ${more} tee v${word} get v${rotated} i64.xor i64.const ${left} i64.rotl set v${rotated}`;
  const [va, vb, vc, vd] = [a, b, c, d].map(Number) as [number, number, number, number];
  return [
    step(va, vb, vd, 32, `get m${x} i64.add`),
    step(vc, vd, vb, 40),
    step(va, vb, vd, 48, `get m${y} i64.add`),
    step(vc, vd, vb, 1),
  ].join(' ');
}

const round = (words: readonly number[]) =>
  quarters.map((quarter, index) => mixed(quarter, words[2 * index], words[2 * index + 1])).join(' ');

const begin = assemble({
  name: 'begin',
  params: ['final:i64'],
  results: [],
  text: `
    i32.const ${place.work} i32.const ${place.state} i32.const 64 memory.copy
    ${initial
      .map((word, index) => {
        const extra = [`${load(place.offset)} i64.xor`, `${load(place.offset + 8)} i64.xor`, 'get final i64.xor'];
        return `i32.const 0 i64.const ${word} ${extra[index - 4] ?? ''} i64.store ${place.work + 64 + 8 * index}`;
      })
      .join(' ')}`,
});

const mix = assemble({
  name: 'mix',
  params: ['rounds:i32'],
  results: [],
  locals: [...sixteen.map((index) => `v${index}:i64`), ...sixteen.map((index) => `m${index}:i64`)],
  text: `
    ${sixteen.map((index) => `${load(place.work + 8 * index)} set v${index} ${load(place.message + 8 * index)} set m${index}`).join(' ')}
    block loop
      ${schedule.map((words) => `get rounds i32.eqz br_if 1 ${round(words)} get rounds i32.const 1 i32.sub set rounds`).join(' ')}
      br 0
    end end
    ${sixteen.map((index) => `i32.const 0 get v${index} i64.store ${place.work + 8 * index}`).join(' ')}`,
});

const finish = assemble({
  name: 'finish',
  params: [],
  results: [],
  text: sixteen
    .slice(0, 8)
    .map((index) => {
      const words = [place.state, place.work, place.work + 64].map((at) => load(at + 8 * index));
      return `i32.const 0 ${words.join(' ')} i64.xor i64.xor i64.store ${place.state + 8 * index}`;
    })
    .join(' '),
});

interface Functions {
  begin(final: bigint): void;
  mix(rounds: number): void;
  finish(): void;
}

/** Compression function F of BLAKE2b (RFC 7693, section 3.2) in WebAssembly, for the precompile of EIP-152. */
export class Blake2 {
  readonly #bytes: Uint8Array;
  readonly #functions: Functions;

  constructor() {
    const memory = new webAssembly.Memory({ initial: 1, maximum: 1 });
    const module = new webAssembly.Module(encodeModule([], [begin, mix, finish]));
    this.#functions = new webAssembly.Instance(module, { host: { memory } }).exports as unknown as Functions;
    this.#bytes = new Uint8Array(memory.buffer);
  }

  /**
   * @param input 213 bytes as in EIP-152: number of rounds, big-endian; state of 64, message of 128 and offset of 16 bytes,
   *   little-endian; the final flag, 0 or 1
   * @param onSlice called about a thousand times a second; its error ends the run
   * @returns the new state, 64 bytes; undefined for a malformed input
   */
  compress(input: Uint8Array, onSlice?: () => void): Uint8Array | undefined {
    const final = input[inputBytes - 1];
    if (input.length !== inputBytes || (final !== 0 && final !== 1)) return undefined;
    const rounds = new DataView(input.buffer, input.byteOffset).getUint32(0);
    this.#bytes.set(input.subarray(4, inputBytes - 1), place.state);
    const { begin, mix, finish } = this.#functions;
    begin(-BigInt(final));
    for (let left = rounds; left > 0; left -= roundsPerCall) {
      mix(Math.min(left, roundsPerCall));
      onSlice?.();
    }
    finish();
    return this.#bytes.slice(place.state, place.state + 64);
  }
}
