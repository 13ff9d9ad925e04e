import type { RlpItem } from '@cairn/rlp';
import { bytesFromHex, type Hex, hexFromBytes } from './hex.ts';
import type { Log } from './receipt.ts';

const topicBytes = 32;

/** A log that is bytes, as an EVM makes it: turned into text when it is asked for, which often is never. */
export class BytesLog implements Log {
  readonly #account: Uint8Array;
  readonly #bytes: Uint8Array;
  readonly #dataAt: number;
  #topics: readonly Hex[] | undefined;
  #data: Hex | undefined;

  /**
   * @param account 20 bytes
   * @param bytes the topics, 32 bytes each, and the data behind them; nobody may change them any more
   */
  constructor(account: Uint8Array, topicCount: number, bytes: Uint8Array) {
    this.#account = account;
    this.#bytes = bytes;
    this.#dataAt = topicCount * topicBytes;
  }

  get address(): Hex {
    return hexFromBytes(this.#account);
  }

  get topics(): readonly Hex[] {
    this.#topics ??= this.#topicsAsBytes().map(hexFromBytes);
    return this.#topics;
  }

  get data(): Hex {
    this.#data ??= hexFromBytes(this.#bytes.subarray(this.#dataAt));
    return this.#data;
  }

  /** What RLP encodes. */
  toRlp(): RlpItem[] {
    return [this.#account, this.#topicsAsBytes(), this.#bytes.subarray(this.#dataAt)];
  }

  /** What the bloom filter holds: the address and the topics. */
  filtered(): Uint8Array[] {
    return [this.#account, ...this.#topicsAsBytes()];
  }

  /** Getters are no fields of its own: this has JSON.stringify find them. */
  toJSON(): Log {
    return { address: this.address, topics: this.topics, data: this.data };
  }

  #topicsAsBytes(): Uint8Array[] {
    const topics: Uint8Array[] = [];
    for (let at = 0; at < this.#dataAt; at += topicBytes) topics.push(this.#bytes.subarray(at, at + topicBytes));
    return topics;
  }
}

/** See {@link BytesLog.toRlp}, for any log. */
export function rlpOfLog(log: Log): RlpItem[] {
  if (log instanceof BytesLog) return log.toRlp();
  return [bytesFromHex(log.address), log.topics.map(bytesFromHex), bytesFromHex(log.data)];
}

/** See {@link BytesLog.filtered}, for any log. */
export function filteredOfLog(log: Log): Uint8Array[] {
  if (log instanceof BytesLog) return log.filtered();
  return [log.address, ...log.topics].map(bytesFromHex);
}
