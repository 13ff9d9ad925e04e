import { type Hex, type Json, quantity } from '@cairn/block-model';
import type { EngineFrame, EngineFrameEnd } from '@cairn/evm';
import type { AppliedMessage } from '../apply-message.ts';
import { type CallFrame, CallFrames } from './call-frames.ts';
import type { TracerOptions } from './trace-options.ts';
import type { TracedMessage, TransactionTracer } from './transaction-tracer.ts';

/** Parity's error texts by geth's. */
const parityErrors: ReadonlyMap<string, string> = new Map([
  ['contract creation code storage out of gas', 'Out of gas'],
  ['out of gas', 'Out of gas'],
  ['gas uint64 overflow', 'Out of gas'],
  ['max code size exceeded', 'Out of gas'],
  ['invalid jump destination', 'Bad jump destination'],
  ['execution reverted', 'Reverted'],
  ['return data out of bounds', 'Out of bounds'],
  ['stack limit reached 1024 (1023)', 'Out of stack'],
  ['precompiled failed', 'Built-in failed'],
  ['invalid input length', 'Built-in failed'],
]);
const parityErrorStarts: readonly (readonly [start: string, word: string])[] = [
  ['out of gas:', 'Out of gas'],
  ['invalid opcode:', 'Bad instruction'],
  ['stack underflow', 'Stack underflow'],
];

/** geth's flatCallTracer: lists calls in Parity's format, each with its position in the tree. */
export class FlatCallTracer implements TransactionTracer {
  readonly #options: TracerOptions<'flatCallTracer'>;
  readonly #frames = new CallFrames((frame) => frame);
  #precompiles: ReadonlySet<Hex> = new Set();
  #place: TracedMessage['place'];

  constructor(options: TracerOptions<'flatCallTracer'>) {
    this.#options = options;
  }

  begin(message: TracedMessage): void {
    this.#frames.begin(message);
    this.#precompiles = new Set(message.context.rules.precompiles);
    this.#place = message.place;
  }

  onEnter(frame: EngineFrame): void {
    this.#frames.enter(frame);
  }

  /** Parity omits CALL and STATICCALL to precompiles, but not DELEGATECALL and CALLCODE. */
  onExit(end: EngineFrameEnd): void {
    const [frame, above] = this.#frames.exit(end);
    if (above === undefined || frame?.to === undefined || this.#options.includePrecompiles) return;
    const isPlainCall = frame.kind === 'CALL' || frame.kind === 'STATICCALL';
    if (isPlainCall && this.#precompiles.has(frame.to)) above.calls.pop();
  }

  result(applied: AppliedMessage): string {
    const top = this.#frames.settle(applied);
    const flat: Json[] = [];
    if (top !== undefined) this.#flatten(top, [], flat);
    return JSON.stringify(flat);
  }

  #flatten(frame: CallFrame, traceAddress: readonly number[], flat: Json[]): void {
    const place = this.#place;
    const { action, result, type } = partsOf(frame);
    const { error } = frame;
    flat.push({
      action,
      blockHash: place?.blockHash ?? null,
      blockNumber: Number(place?.blockNumber ?? 0n),
      ...(error !== undefined && { error: this.#options.convertParityErrors ? parityError(error) : error }),
      ...(result !== undefined && (error === undefined || error === 'execution reverted') && { result }),
      subtraces: frame.calls.length,
      traceAddress: [...traceAddress],
      transactionHash: place?.hash ?? null,
      transactionPosition: place?.index ?? 0,
      type,
    });
    frame.calls.forEach((call, index) => {
      this.#flatten(call, [...traceAddress, index], flat);
    });
  }
}

function partsOf(frame: CallFrame): { readonly action: Json; readonly result?: Json; readonly type: string } {
  const { kind, from, to, value = 0n, gas, gasUsed, input, output } = frame;
  switch (kind) {
    case 'CREATE':
    case 'CREATE2':
      return {
        type: 'create',
        action: { creationMethod: kind.toLowerCase(), from, gas: quantity(gas), value: quantity(value), init: input },
        result: { gasUsed: quantity(gasUsed), ...(to !== undefined && { address: to }), code: output },
      };
    case 'SELFDESTRUCT':
      return { type: 'suicide', action: { address: from, balance: quantity(value), refundAddress: to ?? null } };
    default:
      return {
        type: 'call',
        action: {
          from,
          to: to ?? null,
          gas: quantity(gas),
          value: quantity(value),
          callType: kind.toLowerCase(),
          input,
        },
        result: { gasUsed: quantity(gasUsed), output },
      };
  }
}

function parityError(error: string): string {
  const exact = parityErrors.get(error);
  if (exact !== undefined) return exact;
  return parityErrorStarts.find(([start]) => error.startsWith(start))?.[1] ?? error;
}
