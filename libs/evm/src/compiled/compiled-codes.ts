import { setFlagsFromString } from 'node:v8';
import { type CompiledCode, compile, compileInSteps, type Run, type Runtime } from '@cairn/evm-compiler';
import type { Analysis } from '../interpreter/analysis.ts';
import type { OpcodeTable } from '../interpreter/gas.ts';
import type { ReadyCode } from './compiled-frame.ts';

/** When code is worth compiling, and how much of it is kept. */
export interface CompileLimits {
  /** From this call on a code is compiled beside other work. */
  readonly callsMin: number;
  /** At this call it is compiled whoever waits, at one more for each {@link bytesPerCall} bytes of code. */
  readonly callsMax: number;
  /** Bytes of code that take as long to compile as a call of it is worth. */
  readonly bytesPerCall: number;
  /** Gas that one run of a code uses in the interpreter before it is compiled at its next jump. */
  readonly gasMin: number;
  /** The same for each byte of the code: longer ones take longer to compile. */
  readonly gasPerByte: number;
  /** Bytes of modules that are kept; beyond that all are let go. */
  readonly moduleBytesMax: number;
  /** Bytes of linear memory that a thread keeps from call to call; with more, it begins anew. */
  readonly memoryBytesKept: number;
}

export const compileLimits: CompileLimits = {
  callsMin: 12, // Less, and code that is called now and then would be compiled for nothing.
  callsMax: 48, // By then one message calls it again and again, and nothing else comes to its turn.
  bytesPerCall: 16,
  gasMin: 30_000, // As long as compiling a small contract takes.
  gasPerByte: 150,
  moduleBytesMax: 16 * 1024 * 1024, // Machine code is some times as large.
  memoryBytesKept: 64 * 1024 * 1024, // A call with ten times the gas of a block takes 15 MiB, unless it nests.
};

/** Codes that wait to be compiled at one time; a later call asks again. */
const comingMax = 32;
/** How long others wait for a part of the work. */
const stepMs = 1;

interface Known {
  calls: number;
  ready: ReadyCode | undefined;
  /** It is being compiled. */
  isComing: boolean;
  /** It is too long: the interpreter keeps it. */
  isRefused: boolean;
}

/** What was compiled, by code and fork. */
export class CompiledCodes {
  readonly #runtime: Runtime;
  readonly #limits: CompileLimits;
  #known = new WeakMap<OpcodeTable, WeakMap<Analysis, Known>>();
  #moduleBytes = 0;
  /** Codes that are being compiled, or wait for it. */
  #coming = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(runtime: Runtime, limits: CompileLimits) {
    this.#runtime = runtime;
    this.#limits = limits;
  }

  /** The code where it is hot: `undefined` for what is not called often. */
  forCall(analysis: Analysis, table: OpcodeTable): ReadyCode | undefined {
    const known = this.#of(analysis, table);
    if (known.ready !== undefined || known.isRefused) return known.ready;
    known.calls++;
    const { callsMin, callsMax, bytesPerCall } = this.#limits;
    if (known.calls < callsMin) return undefined;
    if (known.calls >= callsMax + Math.floor(analysis.code.length / bytesPerCall)) return this.forLoop(analysis, table);
    if (!known.isComing && this.#coming < comingMax) this.#begin(analysis, table, known);
    return undefined;
  }

  /** The code where it has been compiled. */
  ready(analysis: Analysis, table: OpcodeTable): ReadyCode | undefined {
    return this.#of(analysis, table).ready;
  }

  /** Gas that a run of a code may use before it is worth to compile it at once. */
  gasBefore({ code }: Analysis): number {
    return this.#limits.gasMin + this.#limits.gasPerByte * code.length;
  }

  /** The code, compiled now if it is not yet; `undefined` where it is too long. */
  forLoop(analysis: Analysis, table: OpcodeTable): ReadyCode | undefined {
    const known = this.#of(analysis, table);
    if (known.ready !== undefined || known.isRefused) return known.ready;
    const compiled = compile(analysis.code, table);
    if (compiled !== undefined) return this.#keep(analysis, table, compiled, this.#runtime.instantiate(compiled));
    known.isRefused = true;
    return undefined;
  }

  /** Compiles beside other work, one code after the other. */
  #begin(analysis: Analysis, table: OpcodeTable, known: Known): void {
    known.isComing = true;
    this.#coming++;
    this.#last = this.#last
      .then(() => this.#compileBeside(analysis, table, known))
      .catch(() => {
        // It cannot be compiled, and the interpreter keeps it.
        known.isRefused = true;
      })
      .finally(() => {
        known.isComing = false;
        this.#coming--;
      });
  }

  async #compileBeside(analysis: Analysis, table: OpcodeTable, known: Known): Promise<void> {
    const compiled = await atLeisure(compileInSteps(analysis.code, table));
    if (known.ready !== undefined) return;
    if (compiled === undefined) {
      known.isRefused = true;
      return;
    }
    const run = await eagerly(() => this.#runtime.prepare(compiled));
    if (known.ready === undefined) this.#keep(analysis, table, compiled, run);
  }

  #keep(analysis: Analysis, table: OpcodeTable, { wasm, entries }: CompiledCode, run: Run): ReadyCode {
    this.#moduleBytes += wasm.length;
    if (this.#moduleBytes > this.#limits.moduleBytesMax) {
      this.#known = new WeakMap();
      this.#moduleBytes = wasm.length;
    }
    const ready = { run, entries };
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
      known = { calls: 0, ready: undefined, isComing: false, isRefused: false };
      byCode.set(analysis, known);
    }
    return known;
  }
}

/** Runs steps for a millisecond, then lets others have their turn, until it is done. */
async function atLeisure<T>(steps: Generator<undefined, T, undefined>): Promise<T> {
  for (;;) {
    await new Promise((resolve) => setImmediate(resolve));
    const until = performance.now() + stepMs;
    do {
      const { done, value } = steps.next();
      if (done === true) return value;
    } while (performance.now() < until);
  }
}

/** V8 would make the machine code when it is first run, in the thread of the call; this has it made now, in others. */
async function eagerly<T>(work: () => Promise<T>): Promise<T> {
  setFlagsFromString('--no-wasm-lazy-compilation');
  try {
    return await work();
  } finally {
    setFlagsFromString('--wasm-lazy-compilation');
  }
}
