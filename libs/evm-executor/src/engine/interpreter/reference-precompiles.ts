import type { Hex } from '@cairn/block-model';
import { prepareKzg } from '@cairn/block-model/ethereumjs';
import { EVM, EVMMockBlockchain, type EVMOpts, type ExecResult, NobleBN254 } from '@ethereumjs/evm';
import type { ForkRules } from '../../fork-rules.ts';
import { type Curves, curves } from '../curves/curves.ts';
import { EthereumjsState } from '../ethereumjs-state.ts';
import { haltReason } from '../halt-reason.ts';
import { Halt, halts } from './halt.ts';
import type { PrecompileResult } from './precompiles.ts';

/** Of alt_bn128 (EIP-196, EIP-197) and of BLS12-381 (EIP-2537). */
const curveAddresses = new Set([6n, 7n, 8n, 11n, 12n, 13n, 14n, 15n, 16n, 17n]);

/** Proofs of points of blobs (EIP-4844). */
const kzgAddress = 10n;

const noBytes = new Uint8Array(0);

/** The precompiles of @ethereumjs/evm for a fork, with curves in WebAssembly. */
export class ReferencePrecompiles {
  readonly #rules: ForkRules;
  // They give precompiles their curves; nothing runs in them.
  #plain: EVM | undefined;
  #withCurves: EVM | undefined;

  constructor(rules: ForkRules) {
    this.#rules = rules;
  }

  run(address: Hex, data: Uint8Array, gas: number): PrecompileResult | Promise<PrecompileResult> {
    const evm = this.#evmFor(address);
    return evm instanceof Promise
      ? evm.then((ready) => runIn(ready, address, data, gas))
      : runIn(evm, address, data, gas);
  }

  #evmFor(address: Hex): EVM | Promise<EVM> {
    const number = BigInt(address);
    const preparing = number === kzgAddress ? prepareKzg() : undefined;
    if (preparing !== undefined) return preparing.then(() => this.#plainEvm());
    if (!curveAddresses.has(number)) return this.#plainEvm();
    if (this.#withCurves !== undefined) return this.#withCurves;
    const ready = (made: Curves) => {
      this.#withCurves ??= this.#make(made);
      return this.#withCurves;
    };
    const found = curves();
    return found instanceof Promise ? found.then(ready) : ready(found);
  }

  #plainEvm(): EVM {
    this.#plain ??= this.#make({ bn254: new NobleBN254() });
    return this.#plain;
  }

  #make(options: Pick<EVMOpts, 'bn254' | 'bls'>): EVM {
    const { common } = this.#rules;
    return new EVM({ common, stateManager: new EthereumjsState(), blockchain: new EVMMockBlockchain(), ...options });
  }
}

function runIn(evm: EVM, address: Hex, data: Uint8Array, gas: number): PrecompileResult | Promise<PrecompileResult> {
  // Its length is looked at before its price there.
  if (BigInt(address) === 8n && gas < pairingPrice(evm, data))
    return { gasUsed: 0, output: noBytes, fault: halts.outOfGas };
  const call = evm.precompiles.get(address.slice(2));
  if (call === undefined) throw new Error(`There is no precompile at ${address}.`);
  const result = call({ data, gasLimit: BigInt(gas), common: evm.common, _EVM: evm });
  return result instanceof Promise ? result.then((found) => told(found, address, data)) : told(result, address, data);
}

function pairingPrice({ common }: EVM, data: Uint8Array): bigint {
  return common.param('bn254PairingGas') + BigInt(Math.floor(data.length / 192)) * common.param('bn254PairingWordGas');
}

function told(result: ExecResult, address: Hex, data: Uint8Array): PrecompileResult {
  if (result.exceptionError === undefined) {
    return { gasUsed: Number(result.executionGasUsed), output: result.returnValue };
  }
  const reason = haltReason(result, address, data);
  return { gasUsed: 0, output: noBytes, fault: reason === halts.outOfGas.reason ? halts.outOfGas : new Halt(reason) };
}
