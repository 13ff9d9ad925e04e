import type { CompiledCode } from './compile.ts';
import { helperImports, helperModule } from './helpers/index.ts';
import { roundConstants } from './helpers/keccak.ts';
import { keccakPlace } from './layout.ts';
import { type LinearMemory, webAssembly } from './wasm/web-assembly.ts';

/** Runs from a block until it stops, and tells why: one of `exits`. */
export type Run = (block: number) => number;

const pagesMin = 16;
/** A page less than 2 GiB, for the memory of all frames together: places in it are positive numbers of 32 bits. */
const pagesMax = 32_767;

/** One linear memory, the helpers over it, and what of them was instantiated. For one thread and one message at a time. */
export class Runtime {
  readonly memory: LinearMemory = new webAssembly.Memory({ initial: pagesMin, maximum: pagesMax });
  readonly #imports: Readonly<Record<string, unknown>>;

  /**
   * @param ask does the opcode at a place, which is charged already: gas, stack and the size of memory are in the header
   *   then, and are taken from there when it is done. What it throws goes to who runs the code
   */
  constructor(ask: (pc: number) => void) {
    const host = { memory: this.memory };
    const { exports } = new webAssembly.Instance(new webAssembly.Module(helperModule), { host });
    this.#imports = { ...host, ...Object.fromEntries(helperImports.map(({ name }) => [name, exports[name] ?? ask])) };
    new BigUint64Array(this.memory.buffer, keccakPlace.constants, 24).set(roundConstants());
  }

  /** Makes a code ready to run here. */
  instantiate({ wasm }: CompiledCode): Run {
    return this.#runOf(new webAssembly.Module(wasm));
  }

  /** The same beside other work: machine code is made in threads of the engine. */
  async prepare({ wasm }: CompiledCode): Promise<Run> {
    return this.#runOf(await webAssembly.compile(wasm));
  }

  #runOf(module: object): Run {
    const { exports } = new webAssembly.Instance(module, { host: this.#imports });
    return exports.run as Run;
  }
}
