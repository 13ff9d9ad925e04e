import type { Log } from '@cairn/block-model';
import type { EngineFrame, EngineFrameEnd, EngineStep } from '@cairn/evm';
import type { AppliedMessage } from '../apply-message.ts';
import type { TracedMessage, TransactionTracer } from './transaction-tracer.ts';

/** geth's muxTracer: runs several tracers together and returns each result under its name. */
export class MuxTracer implements TransactionTracer {
  readonly #tracers: readonly (readonly [name: string, tracer: TransactionTracer])[];
  readonly #listeners: readonly TransactionTracer[];
  /** Absent if no tracer observes steps: reporting them is the most expensive part of a trace. */
  readonly onStep?: (step: EngineStep) => void;

  constructor(tracers: readonly (readonly [name: string, tracer: TransactionTracer])[]) {
    this.#tracers = tracers;
    this.#listeners = tracers.map(([, tracer]) => tracer);
    const steppers = this.#listeners.filter((tracer) => tracer.onStep !== undefined);
    if (steppers.length > 0) {
      this.onStep = (step) => {
        for (const tracer of steppers) tracer.onStep?.(step);
      };
    }
  }

  begin(message: TracedMessage): void {
    for (const tracer of this.#listeners) tracer.begin?.(message);
  }

  onFault(error: string): void {
    for (const tracer of this.#listeners) tracer.onFault?.(error);
  }

  onEnter(frame: EngineFrame): void {
    for (const tracer of this.#listeners) tracer.onEnter?.(frame);
  }

  onExit(end: EngineFrameEnd): void {
    for (const tracer of this.#listeners) tracer.onExit?.(end);
  }

  onLog(log: Log, index: number): void {
    for (const tracer of this.#listeners) tracer.onLog?.(log, index);
  }

  result(applied: AppliedMessage): string {
    const results = this.#tracers.map(([name, tracer]) => `${JSON.stringify(name)}:${tracer.result(applied)}`);
    return `{${results.join(',')}}`;
  }
}
