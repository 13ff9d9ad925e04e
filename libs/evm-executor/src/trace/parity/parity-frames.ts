import type { EngineFrame, EngineFrameEnd, FrameKind } from '@cairn/evm';
import { TraceTooLargeError } from '../../errors.ts';
import { framesMax } from '../trace-limits.ts';
import type { TraceBudget } from './trace-budget.ts';

/** A call, creation or SELFDESTRUCT of a transaction. */
export interface ParityFrame {
  readonly kind: FrameKind;
  readonly from: Uint8Array;
  readonly to: Uint8Array;
  readonly value: bigint;
  readonly gas: bigint;
  readonly input: Uint8Array;
  readonly isPrecompile: boolean;
  readonly parent: ParityFrame | undefined;
  /** Position among the listed calls of the parent. */
  readonly position: number;
  /** Number of its listed calls. */
  subtraces: number;
  /** Absent until the frame ends. */
  end?: EngineFrameEnd;
}

/** Lists the calls of a transaction in the order in which they begin. */
export class ParityFrames {
  readonly list: ParityFrame[] = [];
  /** Open calls, the innermost last; `undefined` for one that is not listed. */
  readonly #open: (ParityFrame | undefined)[] = [];
  readonly #budget: TraceBudget;

  constructor(budget: TraceBudget) {
    this.#budget = budget;
  }

  /** @throws TRACE_TOO_LARGE */
  enter({ kind, from, to, value = 0n, gas, input }: EngineFrame, isPrecompile: boolean): void {
    const parent = this.#open.at(-1);
    // Parity leaves out nested calls of precompiles that carry no value: hashing contracts make thousands of them.
    if (isPrecompile && value === 0n && parent !== undefined) {
      this.#open.push(undefined);
      return;
    }
    if (this.list.length >= framesMax) throw new TraceTooLargeError(framesMax, 'calls');
    this.#budget.take(2 * input.length);
    const position = parent?.subtraces ?? 0;
    if (parent !== undefined) parent.subtraces++;
    const frame = { kind, from, to, value, gas, input, isPrecompile, parent, position, subtraces: 0 };
    this.list.push(frame);
    this.#open.push(frame);
  }

  /** @throws TRACE_TOO_LARGE */
  exit(end: EngineFrameEnd): void {
    const frame = this.#open.pop();
    if (frame === undefined) return;
    this.#budget.take(2 * end.output.length);
    frame.end = end;
  }
}

/** Position of a frame in the tree of calls: the positions from the outermost call down. */
export function traceAddressOf(frame: ParityFrame): number[] {
  const address: number[] = [];
  for (let each = frame; each.parent !== undefined; each = each.parent) address.push(each.position);
  return address.reverse();
}
