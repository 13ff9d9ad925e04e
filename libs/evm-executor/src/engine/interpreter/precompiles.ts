import { type Hex, hexFromBytes } from '@cairn/block-model';
import { EVM, EVMMockBlockchain, type EVMOpts, type ExecResult, NobleBN254 } from '@ethereumjs/evm';
import type { ForkRules } from '../../fork-rules.ts';
import type { PrecompileChanges } from '../call-engine.ts';
import { curves } from '../curves/curves.ts';
import { EthereumjsState } from '../ethereumjs-state.ts';
import { haltReason } from '../halt-reason.ts';
import { type FastPrecompile, fastPrecompiles } from './fast-precompiles.ts';
import { Halt, halts } from './halt.ts';

/** What a precompile came to; one that fails takes all its gas. */
export interface PrecompileResult {
  readonly gasUsed: number;
  readonly output: Uint8Array;
  readonly fault?: Halt;
}

export interface Precompile {
  /** Its price says how long it takes: of hashes and copies only. */
  readonly isLight: boolean;
  run(data: Uint8Array, gas: number): PrecompileResult | Promise<PrecompileResult>;
}

/** SHA-256, RIPEMD-160, identity and BLAKE2F. */
const lightAddresses = new Set([2n, 3n, 4n, 9n]);

/** Of alt_bn128 (EIP-196, EIP-197) and of BLS12-381 (EIP-2537). */
const curveAddresses = new Set([6n, 7n, 8n, 11n, 12n, 13n, 14n, 15n, 16n, 17n]);

const noBytes = new Uint8Array(0);

/** An EVM that precompiles run in. */
type Reference = (isOfCurve: boolean) => EVM | Promise<EVM>;

/** The precompiles of a fork: own ones where those of @ethereumjs/evm are slow, else those. */
export class Precompiles {
  readonly addresses: ReadonlySet<bigint>;
  readonly #byAddress: ReadonlyMap<Hex, Precompile>;
  /** Of the low byte of addresses whose other bytes are zero; finds out quickly that there is none. */
  readonly #lastBytes: ReadonlySet<number>;

  constructor({ common, precompiles }: ForkRules) {
    // They give precompiles their curves; nothing runs in them. Made when they are needed, which for most calls is never.
    const make = (curves: Pick<EVMOpts, 'bn254' | 'bls'>) =>
      new EVM({ common, stateManager: new EthereumjsState(), blockchain: new EVMMockBlockchain(), ...curves });
    let plain: EVM | undefined;
    let withCurves: EVM | undefined;
    const reference: Reference = (isOfCurve) => {
      if (!isOfCurve) {
        plain ??= make({ bn254: new NobleBN254() });
        return plain;
      }
      if (withCurves !== undefined) return withCurves;
      const ready = (made: Awaited<ReturnType<typeof curves>>) => {
        withCurves ??= make(made);
        return withCurves;
      };
      const found = curves();
      return found instanceof Promise ? found.then(ready) : ready(found);
    };
    this.#byAddress = new Map(precompiles.map((address) => [address, precompile(address, reference)]));
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
    run(data, gas) {
      const gasUsed = price(data);
      if (gasUsed > gas) return { gasUsed: 0, output: noBytes, fault: halts.outOfGas };
      const output = run(data);
      return output instanceof Halt ? { gasUsed: 0, output: noBytes, fault: output } : { gasUsed, output };
    },
  };
}

function precompile(address: Hex, reference: Reference): Precompile {
  const number = BigInt(address);
  const isLight = lightAddresses.has(number);
  const own = fastPrecompiles.get(Number(number));
  if (own !== undefined) return fast(own, isLight);
  const isOfCurve = curveAddresses.has(number);
  const runIn = (evm: EVM, data: Uint8Array, gas: number) => {
    const call = evm.precompiles.get(address.slice(2));
    if (call === undefined) throw new Error(`There is no precompile at ${address}.`);
    const result = call({ data, gasLimit: BigInt(gas), common: evm.common, _EVM: evm });
    return result instanceof Promise ? result.then((found) => told(found, address, data)) : told(result, address, data);
  };
  return {
    isLight,
    run(data, gas) {
      const evm = reference(isOfCurve);
      return evm instanceof Promise ? evm.then((ready) => runIn(ready, data, gas)) : runIn(evm, data, gas);
    },
  };
}

function told(result: ExecResult, address: Hex, data: Uint8Array): PrecompileResult {
  if (result.exceptionError === undefined) {
    return { gasUsed: Number(result.executionGasUsed), output: result.returnValue };
  }
  const reason = haltReason(result, address, data);
  return { gasUsed: 0, output: noBytes, fault: reason === halts.outOfGas.reason ? halts.outOfGas : new Halt(reason) };
}
