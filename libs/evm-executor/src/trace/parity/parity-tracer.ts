import { type Hex, hexFromBytes } from '@cairn/block-model';
import { delegationOf, type EngineFrame, type EngineFrameEnd, type EngineStep } from '@cairn/evm';

import type { AppliedMessage } from '../../apply-message.ts';
import type { TracerOptions } from '../trace-options.ts';
import type { TracedMessage, TransactionTracer } from '../transaction-tracer.ts';
import { ParityFrames } from './parity-frames.ts';
import { frameToJson, type ParityRecord, recordOfFrame } from './parity-record.ts';
import { RecordingWorld } from './recording-world.ts';
import { stateDiffToJson } from './state-diff.ts';
import { TraceBudget } from './trace-budget.ts';
import { VmTrace } from './vm-trace.ts';

const noBytes = new Uint8Array(0);

/** Traces in the format of Parity, as Erigon, Nethermind and Reth return them. One run provides all selected parts. */
export class ParityTracer implements TransactionTracer {
  readonly #options: TracerOptions<'parity'>;
  readonly #frames: ParityFrames | undefined;
  readonly #vmTrace: VmTrace | undefined;
  readonly #budget = new TraceBudget();
  /** Absent without vmTrace: reporting steps is the most expensive part of a trace. */
  readonly onStep?: (step: EngineStep) => void;
  #message: TracedMessage | undefined;
  #precompiles: ReadonlySet<Hex> = new Set();

  constructor(options: TracerOptions<'parity'>) {
    this.#options = options;
    this.#frames = options.trace ? new ParityFrames(this.#budget) : undefined;
    const vmTrace = options.vmTrace ? new VmTrace(this.#budget) : undefined;
    this.#vmTrace = vmTrace;
    if (vmTrace !== undefined) this.onStep = (step) => vmTrace.step(step);
  }

  begin(message: TracedMessage): void {
    this.#message = message;
    const { rules, precompiles, world } = message.context;
    const kept = rules.precompiles.filter((address) => !precompiles.removed.has(address));
    this.#precompiles = new Set([...kept, ...precompiles.moved.keys()]);
    if (world instanceof RecordingWorld) world.beginRecord();
  }

  onEnter(frame: EngineFrame): void {
    const isCall = frame.kind !== 'CREATE' && frame.kind !== 'CREATE2' && frame.kind !== 'SELFDESTRUCT';
    const isPrecompile = isCall && this.#precompiles.has(hexFromBytes(frame.to));
    this.#frames?.enter(frame, isPrecompile);
    this.#vmTrace?.enter(frame, isCall ? this.#codeAt(frame.to, isPrecompile) : frame.input);
  }

  /** Bytecode that runs in a call. */
  #codeAt(address: Uint8Array, isPrecompile: boolean): Uint8Array {
    const context = this.#message?.context;
    if (context === undefined || isPrecompile) return noBytes;
    const code = context.world.getCode(address);
    const delegate = context.rules.isPrague ? delegationOf(code) : undefined;
    return delegate === undefined ? code : context.world.getCode(delegate);
  }

  onExit(end: EngineFrameEnd): void {
    this.#frames?.exit(end);
    this.#vmTrace?.exit(end);
  }

  onFault(error: string): void {
    this.#vmTrace?.fault(error);
  }

  /** The calls of the transaction with its place in the chain. */
  records(): ParityRecord[] {
    return (this.#frames?.list ?? []).map((frame) => recordOfFrame(frame, this.#message?.place));
  }

  /** JSON text of the selected parts. With a place, it contains the hash of the transaction. @throws TRACE_TOO_LARGE */
  result({ outcome }: AppliedMessage): string {
    const { place, context } = this.#message ?? {};
    const output = outcome.kind === 'halt' ? '0x' : hexFromBytes(outcome.output);
    const world = context?.world;
    const diff = this.#options.stateDiff && world instanceof RecordingWorld ? stateDiffToJson(world) : 'null';
    const frames = (this.#frames?.list ?? []).map((frame) => this.#counted(frameToJson(frame)));
    const hash = place === undefined ? '' : `,"transactionHash":"${place.hash}"`;
    const vmTrace = this.#vmTrace?.toJson() ?? 'null';
    this.#budget.take(diff.length);
    return `{"output":"${output}","stateDiff":${diff},"trace":[${frames.join(',')}]${hash},"vmTrace":${vmTrace}}`;
  }

  #counted(text: string): string {
    this.#budget.take(text.length);
    return text;
  }
}
