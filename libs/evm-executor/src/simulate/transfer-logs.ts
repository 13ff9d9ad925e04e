import { type Hex, hexFromBytes, type Log } from '@cairn/block-model';
import type { EngineFrame, EngineFrameEnd, EngineTracer } from '@cairn/evm';
import { hexFromWord } from '@cairn/evm';

/** A log with its index in its transaction. */
export interface NumberedLog extends Log {
  readonly index: number;
}

/** Keccak-256 of `Transfer(address,address,uint256)`. */
const transferTopic: Hex = '0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** Address that represents the native currency (ERC-7528). */
const nativeCurrency: Hex = '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee';

/**
 * Collects the logs of a transaction and a log for each transfer of value, in order of occurrence. As in geth, reverted logs keep
 * their index.
 */
export class TransferLogs implements EngineTracer {
  readonly #frames: NumberedLog[][] = [];
  #logs: readonly NumberedLog[] = [];
  #made = 0;

  /** Available after the transaction has ended. */
  get logs(): readonly NumberedLog[] {
    return this.#logs;
  }

  /** Number of logs, reverted ones included. */
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
    const topics = [transferTopic, ...[from, to].map((address) => hexFromWord(BigInt(hexFromBytes(address))))];
    this.#push({ address: nativeCurrency, topics, data: hexFromWord(value) });
  }

  #push({ address, topics, data }: Log): void {
    this.#frames.at(-1)?.push({ address, topics, data, index: this.#made++ });
  }
}
