import type { CID } from '@cairn/cid';
import type { DagSize } from './walk-dag.ts';

/** `recursive` keeps the whole DAG, `direct` the one block. */
export type PinMode = 'recursive' | 'direct';

export interface Pin {
  readonly cid: CID;
  readonly mode: PinMode;
  /** A label of the account's own; not unique. */
  readonly name: string | undefined;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** What the pin holds, counted when it was made. */
  readonly size: DagSize;
}

/** Sum over the pins of an account: each pinned DAG counts once, whatever it shares with others. */
export interface Usage {
  readonly pins: number;
  readonly bytes: number;
}

/**
 * The port to the records of pins. Every call that changes something is atomic and durable when it resolves, and its
 * cost does not grow with the number of pins in the store.
 */
export interface PinStore {
  /** Makes or replaces pins; usage follows in the same step. */
  put(account: string, pins: readonly Pin[]): Promise<void>;
  /**
   * Removes all of these pins, or none.
   * @throws PIN_NOT_FOUND for the first one that the account has not
   */
  remove(account: string, cids: readonly CID[]): Promise<void>;
  get(account: string, cid: CID): Promise<Pin | undefined>;
  /** The pins of an account in the order of their CIDs, streamed. */
  list(account: string): AsyncIterable<Pin>;
  usage(account: string): Promise<Usage>;
  /** Remembers that a DAG is whole, so that the next pin of it needs no walk. */
  setComplete(root: CID, size: DagSize): Promise<void>;
  complete(root: CID): Promise<DagSize | undefined>;
  close(): Promise<void>;
}
