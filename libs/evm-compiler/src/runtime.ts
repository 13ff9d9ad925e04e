import type { CompiledCode } from './compile.ts';
import { helperImports, helperModule } from './helpers/index.ts';
import { roundConstants } from './helpers/keccak.ts';
import { keccakPlace } from './layout.ts';
import { type LinearMemory, webAssembly } from './wasm/web-assembly.ts';

/** Runs from a block until the code stops. Returns one of `exits`. */
export type Run = (block: number) => number;

const pagesMin = 16;
/** Memory of all frames: one page less than 2 GiB, so that offsets are positive i32 numbers. */
const pagesMax = 32_767;

/** One linear memory with its helpers. Serves one thread and one message at a time. */
export class Runtime {
  readonly memory: LinearMemory = new webAssembly.Memory({ initial: pagesMin, maximum: pagesMax });
  readonly #imports: Readonly<Record<string, unknown>>;

  /**
   * @param ask runs the opcode at a code offset. Its gas is charged already. It reads and writes gas, stack and memory size
   *   in the header. Its errors propagate to the caller of the code
   */
  constructor(ask: (pc: number) => void) {
    const host = { memory: this.memory };
    const { exports } = new webAssembly.Instance(new webAssembly.Module(helperModule), { host });
    this.#imports = { ...host, ...Object.fromEntries(helperImports.map(({ name }) => [name, exports[name] ?? ask])) };
    new BigUint64Array(this.memory.buffer, keccakPlace.constants, 24).set(roundConstants());
  }

  /** Instantiates a compiled code over this memory. */
  instantiate({ wasm }: CompiledCode): Run {
    return this.#runOf(new webAssembly.Module(wasm));
  }

  /** Like {@link instantiate}, but V8 compiles the module in background threads. */
  async prepare({ wasm }: CompiledCode): Promise<Run> {
    return this.#runOf(await webAssembly.compile(wasm));
  }

  #runOf(module: object): Run {
    const { exports } = new webAssembly.Instance(module, { host: this.#imports });
    return exports.run as Run;
  }
}
