import { setFlagsFromString } from 'node:v8';
import { type CompiledCode, compile, compileInSteps, type Run, type Runtime } from '@cairn/evm-compiler';
import type { Analysis } from '../interpreter/analysis.ts';
import type { OpcodeTable } from '../interpreter/gas.ts';
import type { ReadyCode } from './compiled-frame.ts';

/** Thresholds for compilation, and bounds of the compiled code that is kept. */
export interface CompileLimits {
  /** Number of the call from which a code is compiled in the background. */
  readonly callsMin: number;
  /** Number of the call at which a code is compiled immediately. It increases by one per {@link bytesPerCall} bytes of code. */
  readonly callsMax: number;
  /** Bytes of code whose compilation costs as much as one call saves. */
  readonly bytesPerCall: number;
  /** Gas that one execution uses in the interpreter before its code is compiled at the next jump. */
  readonly gasMin: number;
  /** Additional gas for each byte of the code, since longer code takes longer to compile. */
  readonly gasPerByte: number;
  /** Bytes of modules that are kept. Beyond this bound all are released. */
  readonly moduleBytesMax: number;
  /** Bytes of linear memory that a thread keeps between calls. A larger memory is replaced. */
  readonly memoryBytesKept: number;
}

export const compileLimits: CompileLimits = {
  callsMin: 12, // With fewer, code that is called rarely would be compiled.
  callsMax: 48, // By then one message calls it repeatedly, and background work gets no turn.
  bytesPerCall: 16,
  gasMin: 30_000, // Takes as long as compiling a small contract.
  gasPerByte: 150,
  moduleBytesMax: 16 * 1024 * 1024, // Machine code is several times as large.
  memoryBytesKept: 64 * 1024 * 1024, // A call with ten times the gas of a block takes 15 MiB, unless it nests.
};

/** Codes in the queue for compilation. A later call queues a code that did not fit. */
const comingMax = 32;
/** Duration of one slice of background compilation. */
const stepMs = 1;

interface Known {
  calls: number;
  ready: ReadyCode | undefined;
  /** It is queued or being compiled. */
  isComing: boolean;
  /** The code is too long to compile and is always interpreted. */
  isRefused: boolean;
}

/** Compiled codes by fork and code. */
export class CompiledCodes {
  readonly #runtime: Runtime;
  readonly #limits: CompileLimits;
  #known = new WeakMap<OpcodeTable, WeakMap<Analysis, Known>>();
  #moduleBytes = 0;
  /** Codes that are queued or being compiled. */
  #coming = 0;
  #last: Promise<void> = Promise.resolve();

  constructor(runtime: Runtime, limits: CompileLimits) {
    this.#runtime = runtime;
    this.#limits = limits;
  }

  /** Counts a call. Returns the compiled code; `undefined` while the code is not hot. */
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

  /** The compiled code, if it exists. */
  ready(analysis: Analysis, table: OpcodeTable): ReadyCode | undefined {
    return this.#of(analysis, table).ready;
  }

  /** Gas that an execution may use before its code is compiled immediately. */
  gasBefore({ code }: Analysis): number {
    return this.#limits.gasMin + this.#limits.gasPerByte * code.length;
  }

  /** Compiles the code immediately unless it is compiled. Returns `undefined` if it is too long. */
  forLoop(analysis: Analysis, table: OpcodeTable): ReadyCode | undefined {
    const known = this.#of(analysis, table);
    if (known.ready !== undefined || known.isRefused) return known.ready;
    const compiled = compile(analysis.code, table);
    if (compiled !== undefined) return this.#keep(analysis, table, compiled, this.#runtime.instantiate(compiled));
    known.isRefused = true;
    return undefined;
  }

  /** Compiles in the background, one code after the other. */
  #begin(analysis: Analysis, table: OpcodeTable, known: Known): void {
    known.isComing = true;
    this.#coming++;
    this.#last = this.#last
      .then(() => this.#compileBeside(analysis, table, known))
      .catch(() => {
        // Compilation failed; the code stays interpreted.
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

/** Runs steps in slices of {@link stepMs}, and yields to the event loop between them. */
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

/** Makes V8 compile to machine code now, in threads of its own, instead of at the first run in the thread of the call. */
async function eagerly<T>(work: () => Promise<T>): Promise<T> {
  setFlagsFromString('--no-wasm-lazy-compilation');
  try {
    return await work();
  } finally {
    setFlagsFromString('--wasm-lazy-compilation');
  }
}
