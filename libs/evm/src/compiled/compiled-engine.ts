import { arena, exits, Runtime } from '@cairn/evm-compiler';
import { finishing } from '../awaitable.ts';
import type { CallEngine } from '../call-engine.ts';
import type { ForkRules } from '../forks/fork-rules.ts';
import { gasBudgetExceeded } from '../gas-budget.ts';
import { execute } from '../interpreter/execute.ts';
import { Frame, type FrameOptions } from '../interpreter/frame.ts';
import { type OpcodeTable, opcodeTable } from '../interpreter/gas.ts';
import { halts } from '../interpreter/halt.ts';
import { runHostOpcode } from '../interpreter/host-opcodes.ts';
import { createInterpreterEngine, machineRulesOf, runMessage } from '../interpreter/interpreter-engine.ts';
import { Machine } from '../interpreter/machine.ts';
import type { Frames, MachineRules } from '../interpreter/machine-types.ts';
import { CompiledCodes, type CompileLimits, compileLimits } from './compiled-codes.ts';
import { CompiledFrame, memoryBaseOf, type ReadyCode, SharedMemory } from './compiled-frame.ts';

/**
 * Creates the interpreter with hot code compiled to WebAssembly. Frames, host opcodes and gas are the same. Messages that the
 * interpreter leaves to `elsewhere`, and messages during the wait for a precompile, run as in the interpreter.
 */
export function createCompiledEngine(elsewhere: CallEngine, limits: CompileLimits = compileLimits): CallEngine {
  const interpreter = createInterpreterEngine(elsewhere);
  const rulesOf = new WeakMap<ForkRules, MachineRules>();
  let stacks: bigint[][] | undefined = [];
  let tier: Tier | undefined;
  return {
    name: 'compiled',
    run(message) {
      const { rules, tracer, gas } = message;
      const own = stacks;
      const isElsewhere = tracer !== undefined || gas > BigInt(Number.MAX_SAFE_INTEGER);
      if (isElsewhere || own === undefined) return interpreter.run(message);
      let machineRules = rulesOf.get(rules);
      if (machineRules === undefined) {
        machineRules = machineRulesOf(rules);
        rulesOf.set(rules, machineRules);
      }
      tier ??= new Tier(limits);
      const current = tier;
      stacks = undefined;
      const frames = new TieredFrames(current, opcodeTable(rules));
      return finishing(
        () => {
          const machine = new Machine(message, machineRules, own, frames);
          frames.machine = machine;
          return runMessage(machine, (frame, inside, table) => frames.run(frame, inside, table));
        },
        () => {
          stacks = own;
          current.leave();
          // Linear memory never shrinks; a large one must not stay with the thread.
          if (current.shared.bytes.length > limits.memoryBytesKept) tier = undefined;
        },
      );
    },
  };
}

/** Compiled codes and linear memory that all messages of an engine share. */
class Tier {
  readonly codes: CompiledCodes;
  readonly shared: SharedMemory;
  /** The frame that runs. */
  #frame: CompiledFrame | undefined;
  #machine: Machine | undefined;

  constructor(limits: CompileLimits) {
    const runtime = new Runtime((pc) => this.#do(pc));
    this.codes = new CompiledCodes(runtime, limits);
    this.shared = new SharedMemory(runtime.memory);
  }

  enter(frame: CompiledFrame, machine: Machine): void {
    this.#frame = frame;
    this.#machine = machine;
  }

  /** Releases the frame and machine of a finished message. */
  leave(): void {
    this.#frame = undefined;
    this.#machine = undefined;
  }

  /** Runs a host opcode of the kind `host` for compiled code. */
  #do(pc: number): void {
    const frame = this.#frame;
    const machine = this.#machine;
    if (frame === undefined || machine === undefined) throw new Error('No frame is running.');
    frame.takeState();
    runHostOpcode(frame.analysis.code[pc] as number, frame, machine);
    frame.giveState();
  }
}

/** Frames of one message: compiled if their code is hot, else interpreted. */
class TieredFrames implements Frames {
  readonly #tier: Tier;
  readonly #table: OpcodeTable;
  machine: Machine | undefined;

  constructor(tier: Tier, table: OpcodeTable) {
    this.#tier = tier;
    this.#table = table;
  }

  make(options: FrameOptions): Frame {
    const code = this.#tier.codes.forCall(options.analysis, this.#table);
    const compiled = code && this.#compiled(options, code);
    if (compiled !== undefined) return compiled;
    const frame = new Frame(options);
    frame.compileBelow = options.gas - this.#tier.codes.gasBefore(options.analysis);
    return frame;
  }

  run(frame: Frame, machine: Machine, table: OpcodeTable): boolean {
    if (frame instanceof CompiledFrame) return this.#runCompiled(frame, machine, table);
    const isAtEnd = execute(frame, machine, table);
    if (!isAtEnd && !machine.isWaiting) this.#compileNow(frame, machine);
    return isAtEnd;
  }

  /** Compiles the code of a frame in a long loop; the rest of the frame runs compiled. */
  #compileNow(frame: Frame, machine: Machine): void {
    frame.compileBelow = -1;
    const code = this.#tier.codes.forLoop(frame.analysis, this.#table);
    const next = code && this.#compiled(frame, code);
    if (next?.takeOver(frame)) machine.replace(next);
  }

  /** Creates a compiled frame after the regions of all waiting frames; `undefined` if memory cannot grow. */
  #compiled(options: FrameOptions, code: ReadyCode): CompiledFrame | undefined {
    const { shared } = this.#tier;
    const base = (this.machine?.compiledEnd() ?? arena) & ~0xff;
    const aligned = base + 256;
    if (!shared.reach(memoryBaseOf(aligned, options.data.length))) return undefined;
    return new CompiledFrame(options, code, shared, aligned);
  }

  #runCompiled(frame: CompiledFrame, machine: Machine, table: OpcodeTable): boolean {
    if (frame.isInterpreted) return execute(frame, machine, table);
    const { code } = frame.analysis;
    const { entries } = frame.code;
    this.#tier.enter(frame, machine);
    let asked = -1;
    for (let block = entries[frame.pc] as number; ; block = entries[frame.pc] as number) {
      switch (frame.run(block)) {
        case exits.host: {
          const opcode = code[frame.pc] as number;
          frame.pc++;
          const isAtEnd = runHostOpcode(opcode, frame, machine);
          if (isAtEnd || machine.isWaiting) return isAtEnd;
          break;
        }
        case exits.interpret:
          // The block may have stopped for the clock only. Renewing resumes there, unless it made no progress.
          if (frame.meter.isPaced && frame.floor > 0 && frame.gas !== asked) {
            asked = frame.gas;
            frame.meter.renew();
            break;
          }
          frame.leaveToInterpreter();
          return execute(frame, machine, table);
        case exits.stop:
          return true;
        case exits.gasOverflow:
          throw halts.gasOverflow;
        case exits.priceOverflow:
          throw halts.pricedOverflow;
        case exits.invalidJump:
          throw halts.invalidJump;
        default:
          throw frame.floor > 0 && !frame.meter.isPaced ? gasBudgetExceeded : halts.outOfGas;
      }
    }
  }
}
