import { type Hex, hexFromBytes, type Json, type Log, quantity } from '@cairn/block-model';
import type { EngineFrame, EngineFrameEnd, EngineStep } from '@cairn/evm';
import { addressHexFromWord, callOpcodes, hexFromWord, op } from '@cairn/evm';
import { bytesFromHexDigits, hexDigitsFromBytes } from '@cairn/platform';
import type { AppliedMessage } from '../apply-message.ts';
import { TraceTooLargeError } from '../errors.ts';
import { type CallFrame, CallFrames } from './call-frames.ts';
import { frameFieldsToJson } from './call-tracer.ts';
import { paddedMemory } from './padded-memory.ts';
import { traceCharactersMax } from './trace-limits.ts';
import type { TracerOptions } from './trace-options.ts';
import type { TracedMessage, TransactionTracer } from './transaction-tracer.ts';

interface WatchedFrame extends CallFrame {
  readonly calls: WatchedFrame[];
  readonly reads: Map<Hex, Hex>;
  readonly writes: Map<Hex, number>;
  readonly transientReads: Map<Hex, number>;
  readonly transientWrites: Map<Hex, number>;
  readonly extCodeAccess: Hex[];
  readonly opcodes: Map<number, number>;
  readonly contractSizes: Map<Hex, { readonly contractSize: number; readonly opcode: number }>;
  isOutOfGas: boolean;
}

const readsCode: ReadonlySet<number> = new Set<number>([op.EXTCODESIZE, op.EXTCODECOPY, op.EXTCODEHASH]);
const endsFrame: ReadonlySet<number> = new Set<number>([op.RETURN, op.REVERT]);

/** geth's erc7562Tracer: calls with the data that the validation rules of account abstraction need (ERC-7562). */
export class Erc7562Tracer implements TransactionTracer {
  readonly #options: TracerOptions<'erc7562Tracer'>;
  readonly #ignored: ReadonlySet<number>;
  readonly #frames = new CallFrames(watched);
  readonly #preimages = new Set<Hex>();
  #characters = 0;
  #last: { readonly opcode: number; readonly top: bigint | undefined } | undefined;

  constructor(options: TracerOptions<'erc7562Tracer'>) {
    this.#options = options;
    this.#ignored = new Set(options.ignoredOpcodes);
  }

  begin(message: TracedMessage): void {
    this.#frames.begin(message);
  }

  onEnter(frame: EngineFrame): void {
    this.#frames.enter(frame);
  }

  onExit(end: EngineFrameEnd): void {
    const [frame, above] = this.#frames.exit(end);
    const { error } = end;
    const isOutOfGas = error?.startsWith('out of gas') || error === 'contract creation code storage out of gas';
    if (frame !== undefined && above !== undefined && isOutOfGas) frame.isOutOfGas = true;
  }

  onLog(log: Log, index: number): void {
    if (this.#options.withLog) this.#frames.log(log, index);
  }

  onStep(step: EngineStep): void {
    const { opcode, stack } = step;
    const frame = this.#frames.current;
    if (frame === undefined) return;
    if (endsFrame.has(opcode)) this.#last = undefined;
    this.#watchLast(opcode, frame);
    watchContractSize(step, stack, frame);
    if (this.#last?.opcode === op.GAS && !callOpcodes.has(opcode)) count(frame.opcodes, op.GAS);
    if (opcode !== op.GAS && !this.#ignored.has(opcode)) count(frame.opcodes, opcode);
    watchStorage(step, stack, frame);
    if (opcode === op.KECCAK256) this.#keepPreimage(step, stack);
    const held = Math.min(stack.length, this.#options.stackTopItemsSize);
    this.#last = { opcode, top: held > 0 ? stack.at(-1) : undefined };
  }

  /** OP-051 allows EXTCODESIZE followed by ISZERO, a check whether code exists. */
  #watchLast(opcode: number, frame: WatchedFrame): void {
    const last = this.#last;
    if (last === undefined || last.top === undefined || !readsCode.has(last.opcode)) return;
    if (last.opcode === op.EXTCODESIZE && opcode === op.ISZERO) return;
    frame.extCodeAccess.push(addressHexFromWord(last.top));
  }

  #keepPreimage({ memory }: EngineStep, stack: readonly bigint[]): void {
    const [length, at] = stack.slice(-2);
    if (length === undefined || at === undefined) return;
    const preimage = paddedMemory(memory, at, length);
    if (preimage === undefined) return;
    this.#characters += 2 * preimage.length;
    if (this.#characters > traceCharactersMax) throw new TraceTooLargeError(traceCharactersMax, 'characters');
    this.#preimages.add(hexFromBytes(preimage));
  }

  result(applied: AppliedMessage): string {
    const top = this.#frames.settle(applied);
    if (top === undefined) return '{}';
    const keccak = [...this.#preimages].sort();
    return JSON.stringify({ ...frameToJson(top), ...(keccak.length > 0 && { keccak }) });
  }
}

function watched(frame: CallFrame): WatchedFrame {
  return {
    ...frame,
    calls: [],
    reads: new Map(),
    writes: new Map(),
    transientReads: new Map(),
    transientWrites: new Map(),
    extCodeAccess: [],
    opcodes: new Map(),
    contractSizes: new Map(),
    isOutOfGas: false,
  };
}

/** Records the sizes of accessed contracts for OP-041. */
function watchContractSize({ opcode, world }: EngineStep, stack: readonly bigint[], frame: WatchedFrame): void {
  const word = readsCode.has(opcode) ? stack.at(-1) : callOpcodes.has(opcode) ? stack.at(-2) : undefined;
  if (word === undefined) return;
  const address = addressHexFromWord(word);
  if (frame.contractSizes.has(address)) return;
  const contractSize = world.getCode(bytesFromHexDigits(address.slice(2))).length;
  frame.contractSizes.set(address, { contractSize, opcode });
}

function watchStorage({ opcode, world, address }: EngineStep, stack: readonly bigint[], frame: WatchedFrame): void {
  const top = stack.at(-1);
  if (top === undefined) return;
  const slot = hexFromWord(top);
  if (opcode === op.SLOAD) {
    // Only the value before the first write of the transaction counts.
    if (frame.reads.has(slot) || frame.writes.has(slot)) return;
    const value = world.getStorage(address, bytesFromHexDigits(slot.slice(2)));
    frame.reads.set(slot, `0x${hexDigitsFromBytes(value).padStart(64, '0')}`);
  } else if (opcode === op.SSTORE) count(frame.writes, slot);
  else if (opcode === op.TLOAD) count(frame.transientReads, slot);
  else if (opcode === op.TSTORE) count(frame.transientWrites, slot);
}

function count<Key>(counts: Map<Key, number>, key: Key): void {
  counts.set(key, (counts.get(key) ?? 0) + 1);
}

function frameToJson(frame: WatchedFrame): Json {
  return {
    ...frameFieldsToJson(frame),
    accessedSlots: {
      reads: Object.fromEntries([...frame.reads].map(([slot, value]) => [slot, [value]])),
      writes: Object.fromEntries(frame.writes),
      transientReads: Object.fromEntries(frame.transientReads),
      transientWrites: Object.fromEntries(frame.transientWrites),
    },
    extCodeAccessInfo: frame.extCodeAccess,
    usedOpcodes: Object.fromEntries([...frame.opcodes].map(([opcode, times]) => [quantity(opcode), times])),
    contractSize: Object.fromEntries(frame.contractSizes),
    outOfGas: frame.isOutOfGas,
    ...(frame.calls.length > 0 && { calls: frame.calls.map(frameToJson) }),
    type: frame.kind,
  };
}
