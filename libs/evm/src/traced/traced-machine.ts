import { op } from '@cairn/evm-compiler/opcodes';
import type { EngineMessage } from '../call-engine.ts';
import type { EngineTracer, FrameKind } from '../engine-tracer.ts';
import { create2Address, createAddress } from '../interpreter/create-address.ts';
import type { Frame } from '../interpreter/frame.ts';
import type { OpcodeTable } from '../interpreter/gas.ts';
import type { Halt } from '../interpreter/halt.ts';
import { Machine } from '../interpreter/machine.ts';
import type { CallOptions, CreateOptions, MachineRules } from '../interpreter/machine-types.ts';
import { ReportedStep } from './reported-step.ts';

const noBytes = new Uint8Array(0);

const callKinds: ReadonlyMap<number, FrameKind> = new Map<number, FrameKind>([
  [op.CALL, 'CALL'],
  [op.CALLCODE, 'CALLCODE'],
  [op.DELEGATECALL, 'DELEGATECALL'],
  [op.STATICCALL, 'STATICCALL'],
]);

interface TracedMachineOptions {
  readonly tracer: EngineTracer;
  /** Stacks by depth. */
  readonly stacks: bigint[][];
  readonly table: OpcodeTable;
}

/** A machine that reports every call and creation to a tracer, including those that open no frame. */
export class TracedMachine extends Machine {
  readonly tracer: EngineTracer;
  readonly step: ReportedStep = new ReportedStep(this);
  readonly table: OpcodeTable;
  /** Gas of the open calls, the innermost last. */
  readonly #given: number[] = [];

  constructor(message: EngineMessage, rules: MachineRules, { tracer, stacks, table }: TracedMachineOptions) {
    super(message, rules, stacks);
    this.tracer = tracer;
    this.table = table;
  }

  /** Depth of the next call: 1 for that of the message. */
  get #depth(): number {
    return this.#given.length + 1;
  }

  override call(from: Frame | undefined, options: CallOptions): void {
    const kind = callKinds.get(options.opcode) ?? 'CALL';
    this.tracer.onEnter?.({
      kind,
      from: from?.address ?? options.caller,
      to: options.target,
      value: kind === 'STATICCALL' ? undefined : options.value,
      gas: BigInt(options.gas),
      input: options.data,
      depth: this.#depth,
    });
    this.#given.push(options.gas);
    super.call(from, options);
  }

  override create(from: Frame | undefined, options: CreateOptions): void {
    const { world, sender } = this.message;
    const { code, value, gas, salt } = options;
    const creator = from?.address ?? sender;
    const nonce = world.getNonce(creator);
    const created = () => createAddress(creator, from === undefined ? nonce - 1n : nonce);
    this.tracer.onEnter?.({
      kind: salt === undefined ? 'CREATE' : 'CREATE2',
      from: creator,
      to: salt === undefined ? created() : create2Address(creator, salt, code),
      value,
      gas: BigInt(gas),
      input: code,
      depth: this.#depth,
    });
    this.#given.push(gas);
    super.create(from, options);
  }

  protected override exit(left: number, output: Uint8Array, halt: Halt | undefined, isReverted: boolean): void {
    const given = this.#given.pop() ?? 0;
    const error = halt?.reason ?? (isReverted ? 'execution reverted' : undefined);
    this.tracer.onExit?.({
      gasUsed: BigInt(given - left),
      output,
      isReverted,
      ...(error !== undefined && { error }),
    });
  }

  /** Reports a SELFDESTRUCT as a call of its own, as geth does. */
  selfDestructed(from: Uint8Array, to: Uint8Array, value: bigint): void {
    this.tracer.onEnter?.({ kind: 'SELFDESTRUCT', from, to, value, gas: 0n, input: noBytes, depth: this.#depth });
    this.tracer.onExit?.({ gasUsed: 0n, output: noBytes, isReverted: false });
  }
}
