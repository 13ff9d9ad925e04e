import { compile, type Runtime } from '@cairn/evm-compiler';
import type { Analysis } from '../interpreter/analysis.ts';
import type { OpcodeTable } from '../interpreter/gas.ts';
import type { ReadyCode } from './compiled-frame.ts';

/** When code is worth compiling, and how much of it is kept. */
export interface CompileLimits {
  /** A code is compiled when it is called for this time. Loops compile it sooner. */
  readonly callsMin: number;
  /** Gas that one run of a code uses in the interpreter before it is compiled at its next jump. */
  readonly gasMin: number;
  /** Bytes of modules that are kept; beyond that all are let go. */
  readonly moduleBytesMax: number;
  /** Bytes of linear memory that a thread keeps from call to call; with more, it begins anew. */
  readonly memoryBytesKept: number;
}

export const compileLimits: CompileLimits = {
  callsMin: 12, // Less, and code that is called now and then would be compiled for nothing.
  gasMin: 30_000, // As long as compiling a small contract takes.
  moduleBytesMax: 16 * 1024 * 1024, // Machine code is some times as large.
  memoryBytesKept: 64 * 1024 * 1024, // A call with ten times the gas of a block takes 15 MiB, unless it nests.
};

interface Known {
  calls: number;
  ready: ReadyCode | undefined;
  /** It is too long: the interpreter keeps it. */
  isRefused: boolean;
}

/** What was compiled, by code and fork. */
export class CompiledCodes {
  readonly #runtime: Runtime;
  readonly #limits: CompileLimits;
  #known = new WeakMap<OpcodeTable, WeakMap<Analysis, Known>>();
  #moduleBytes = 0;

  constructor(runtime: Runtime, limits: CompileLimits) {
    this.#runtime = runtime;
    this.#limits = limits;
  }

  /** The code where it is hot: `undefined` for what is not called often. */
  forCall(analysis: Analysis, table: OpcodeTable): ReadyCode | undefined {
    const known = this.#of(analysis, table);
    if (known.ready !== undefined) return known.ready;
    known.calls++;
    return known.calls >= this.#limits.callsMin ? this.forLoop(analysis, table) : undefined;
  }

  /** The code, compiled now if it is not yet; `undefined` where it is too long. */
  forLoop(analysis: Analysis, table: OpcodeTable): ReadyCode | undefined {
    const known = this.#of(analysis, table);
    if (known.ready !== undefined || known.isRefused) return known.ready;
    const compiled = compile(analysis.code, {
      cost: table.cost,
      takes: table.needed,
      gives: table.given,
      expByte: table.expByte,
    });
    if (compiled === undefined) {
      known.isRefused = true;
      return undefined;
    }
    this.#moduleBytes += compiled.wasm.length;
    if (this.#moduleBytes > this.#limits.moduleBytesMax) {
      this.#known = new WeakMap();
      this.#moduleBytes = compiled.wasm.length;
    }
    const ready = { run: this.#runtime.instantiate(compiled), entries: compiled.entries };
    this.#of(analysis, table).ready = ready;
    return ready;
  }

  #of(analysis: Analysis, table: OpcodeTable): Known {
    let byCode = this.#known.get(table);
    if (byCode === undefined) {
      byCode = new WeakMap();
      this.#known.set(table, byCode);
    }
    let known = byCode.get(analysis);
    if (known === undefined) {
      known = { calls: 0, ready: undefined, isRefused: false };
      byCode.set(analysis, known);
    }
    return known;
  }
}
