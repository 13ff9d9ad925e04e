import { type Hex, hexFromBytes } from '@cairn/block-model';
import type { ForkRules } from '../../fork-rules.ts';
import type { PrecompileChanges } from '../call-engine.ts';
import { type FastPrecompile, fastPrecompiles } from './fast-precompiles.ts';
import { Halt, halts } from './halt.ts';
import type { ReferencePrecompiles } from './reference-precompiles.ts';

/** What a precompile came to; one that fails takes all its gas. */
export interface PrecompileResult {
  readonly gasUsed: number;
  readonly output: Uint8Array;
  readonly fault?: Halt;
}

export interface Precompile {
  /** Its price says how long it takes: of hashes and copies only. */
  readonly isLight: boolean;
  /** @param onSlice see {@link FastPrecompile.run} */
  run(data: Uint8Array, gas: number, onSlice?: () => void): PrecompileResult | Promise<PrecompileResult>;
}

/** SHA-256, RIPEMD-160 and identity: memory bounds their input. Rounds of BLAKE2F are bounded by nothing but gas. */
const lightAddresses = new Set([2n, 3n, 4n]);

const noBytes = new Uint8Array(0);

type ReferenceRun = ReferencePrecompiles['run'];

/** The precompiles of a fork: own ones where those of @ethereumjs/evm are slow, else those. */
export class Precompiles {
  readonly addresses: ReadonlySet<bigint>;
  readonly #byAddress: ReadonlyMap<Hex, Precompile>;
  /** Of the low byte of addresses whose other bytes are zero; finds out quickly that there is none. */
  readonly #lastBytes: ReadonlySet<number>;

  constructor(rules: ForkRules) {
    let reference: ReferencePrecompiles | undefined;
    // Loaded when one of them is called, which most processes never do.
    const load = async () => {
      const { ReferencePrecompiles } = await import('./reference-precompiles.ts');
      reference ??= new ReferencePrecompiles(rules);
      return reference;
    };
    const { precompiles } = rules;
    const run: ReferenceRun = (address, data, gas) =>
      reference === undefined
        ? load().then((loaded) => loaded.run(address, data, gas))
        : reference.run(address, data, gas);
    this.#byAddress = new Map(precompiles.map((address) => [address, precompile(address, run)]));
    this.addresses = new Set(precompiles.map(BigInt));
    this.#lastBytes = new Set(precompiles.map((address) => Number(BigInt(address) & 0xffn)));
  }

  /** What answers at an address, if anything does. */
  at(address: Uint8Array, { removed, moved }: PrecompileChanges): Precompile | undefined {
    if (moved.size === 0 && !this.#maybe(address)) return undefined;
    const hex = hexFromBytes(address);
    const from = moved.get(hex);
    if (from !== undefined) return this.#byAddress.get(from);
    return removed.has(hex) ? undefined : this.#byAddress.get(hex);
  }

  #maybe(address: Uint8Array): boolean {
    for (let at = 0; at < 18; at++) if (address[at] !== 0) return false;
    return this.#lastBytes.has(address[19] ?? 0);
  }
}

function fast({ price, run }: FastPrecompile, isLight: boolean): Precompile {
  return {
    isLight,
    run(data, gas, onSlice) {
      const gasUsed = price(data);
      if (gasUsed > gas) return { gasUsed: 0, output: noBytes, fault: halts.outOfGas };
      const output = run(data, onSlice);
      return output instanceof Halt ? { gasUsed: 0, output: noBytes, fault: output } : { gasUsed, output };
    },
  };
}

function precompile(address: Hex, reference: ReferenceRun): Precompile {
  const number = BigInt(address);
  const isLight = lightAddresses.has(number);
  const own = fastPrecompiles.get(Number(number));
  return own === undefined ? { isLight, run: (data, gas) => reference(address, data, gas) } : fast(own, isLight);
}
