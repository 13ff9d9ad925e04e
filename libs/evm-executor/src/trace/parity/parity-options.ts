import type { Hex } from '@cairn/block-model';

/** Selects records of a block by the addresses that they report. */
export interface RecordFilter {
  /** Senders; empty for any. */
  readonly from: readonly Hex[];
  /** Recipients; empty for any. */
  readonly to: readonly Hex[];
  /** With both lists: records that match one of them (`union`), or both (`intersection`). */
  readonly mode: 'union' | 'intersection';
  /** Matching records to leave out before the first one. */
  readonly skip: number;
  /** Maximum number of records. */
  readonly take: number;
}

/** Parts and form of a trace in the format of Parity. */
export interface ParityOptions {
  /** `records`: calls with their place in the chain. `envelope`: the parts that a client selects, with the output. */
  readonly form: 'records' | 'envelope';
  readonly trace: boolean;
  readonly stateDiff: boolean;
  readonly vmTrace: boolean;
  /** Selects records; default: all. */
  readonly filter?: RecordFilter;
  /** `traceAddress` of the only record to return, as an object rather than a list; `null` if there is none. */
  readonly path?: readonly number[];
}
