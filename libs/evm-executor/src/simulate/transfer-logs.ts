import { type Hex, hexFromBytes, type Log } from '@cairn/block-model';
import type { EngineFrame, EngineFrameEnd, EngineTracer } from '../engine/engine-tracer.ts';
import { wordOf } from '../engine/step-log.ts';

/** A log with its number in its transaction. */
export interface NumberedLog extends Log {
  readonly index: number;
}

/** Keccak-256 of `Transfer(address,address,uint256)`. */
const transferTopic: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** What stands for the native currency (ERC-7528). */
const nativeCurrency: Hex = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';

/**
 * Logs of a transaction with its transfers of value among them, in the order in which they happened. They are numbered as
 * they are made: as in geth's recordings, those that are undone keep their numbers.
 */
export class TransferLogs implements EngineTracer {
  readonly #frames: NumberedLog[][] = [];
  #logs: readonly NumberedLog[] = [];
  #made = 0;

  /** Once the transaction has ended. */
  get logs(): readonly NumberedLog[] {
    return this.#logs;
  }

  /** How many were made, undone ones included. */
  get made(): number {
    return this.#made;
  }

  onEnter({ kind, from, to, value }: EngineFrame): void {
    this.#frames.push([]);
    if (kind !== 'DELEGATECALL' && kind !== 'CALLCODE') this.#transfer(from, to, value ?? 0n);
  }

  onExit({ error }: EngineFrameEnd): void {
    const logs = error === undefined ? (this.#frames.pop() ?? []) : [];
    if (error !== undefined) this.#frames.pop();
    const above = this.#frames.at(-1);
    if (above) above.push(...logs);
    else this.#logs = logs;
  }

  onLog(log: Log): void {
    this.#push(log);
  }

  #transfer(from: Uint8Array, to: Uint8Array, value: bigint): void {
    if (value === 0n) return;
    const topics = [transferTopic, ...[from, to].map((address) => wordOf(BigInt(hexFromBytes(address))))];
    this.#push({ address: nativeCurrency, topics, data: wordOf(value) });
  }

  #push({ address, topics, data }: Log): void {
    this.#frames.at(-1)?.push({ address, topics, data, index: this.#made++ });
  }
}
