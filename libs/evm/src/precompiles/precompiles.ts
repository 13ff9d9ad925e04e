import { type Hex, hexFromBytes } from '@cairn/block-model';
import type { PrecompileChanges } from '../call-engine.ts';
import type { ForkRules } from '../forks/fork-rules.ts';
import { Halt, halts } from '../interpreter/halt.ts';
import { type PrecompileRow, precompileTable } from './precompile-table.ts';
import type { RunPrecompile } from './run-precompile.ts';

/** Result of a precompile. One that fails takes all its gas. */
export interface PrecompileResult {
  readonly gasUsed: number;
  readonly output: Uint8Array;
  readonly fault?: Halt;
}

export interface Precompile {
  /** See {@link PrecompileRow.isLight}. */
  readonly isLight: boolean;
  /** @param onSlice see {@link RunPrecompile} */
  run(data: Uint8Array, gas: number, onSlice?: () => void): PrecompileResult | Promise<PrecompileResult>;
}

const noBytes = new Uint8Array(0);

/** The precompiles of a fork. */
export class Precompiles {
  readonly addresses: ReadonlySet<bigint>;
  readonly #byAddress: ReadonlyMap<Hex, Precompile>;
  /** Low bytes of the addresses, whose bytes 0 to 17 are zeros: rules out most addresses quickly. */
  readonly #lastBytes: ReadonlySet<number>;

  constructor(rules: ForkRules) {
    const { precompiles } = rules;
    const rows = new Map(precompileTable.map((row) => [BigInt(row.address), row]));
    this.#byAddress = new Map(
      precompiles.map((address) => {
        const row = rows.get(BigInt(address));
        if (row === undefined) throw new Error(`The precompile table has no row for ${address}.`);
        return [address, precompileOf(row, rules)];
      }),
    );
    this.addresses = new Set(precompiles.map(BigInt));
    this.#lastBytes = new Set(precompiles.map((address) => Number(BigInt(address) & 0xffn)));
  }

  /** The precompile at an address; `undefined` for other accounts. */
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

function precompileOf(
  { address, gas: priceOf, isLight, run: ready, load }: PrecompileRow,
  rules: ForkRules,
): Precompile {
  let run = ready;
  const bytesMax = rules.precompileInputMax.get(address) ?? Number.POSITIVE_INFINITY;
  const compute = (work: RunPrecompile, data: Uint8Array, gasUsed: number, onSlice?: () => void): PrecompileResult => {
    const output = work(data, rules, onSlice);
    return output instanceof Halt ? { gasUsed: 0, output: noBytes, fault: output } : { gasUsed, output };
  };
  return {
    isLight: isLight === true,
    run(data, gas, onSlice) {
      const gasUsed = priceOf(data, rules);
      if (gasUsed > gas) return { gasUsed: 0, output: noBytes, fault: halts.outOfGas };
      if (data.length > bytesMax) return { gasUsed: 0, output: noBytes, fault: halts.inputTooLong };
      if (run !== undefined) return compute(run, data, gasUsed, onSlice);
      // Loaded on the first call: most processes never call these.
      if (load === undefined) throw new Error('A row of the precompile table has neither a function nor a loader.');
      return load().then((loaded) => {
        run = loaded;
        return compute(loaded, data, gasUsed, onSlice);
      });
    },
  };
}
