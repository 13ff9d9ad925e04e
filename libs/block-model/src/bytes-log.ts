import type { RlpItem } from '@cairn/rlp';
import { bytesFromHex, type Hex, hexFromBytes } from './hex.ts';
import type { Log } from './log.ts';

const topicBytes = 32;

/** A log in the bytes that an EVM emits. Text is made on first access, since many logs are never printed. */
export class BytesLog implements Log {
  readonly #account: Uint8Array;
  readonly #bytes: Uint8Array;
  readonly #dataAt: number;
  #topics: readonly Hex[] | undefined;
  #data: Hex | undefined;

  /**
   * @param account 20 bytes
   * @param bytes the topics, 32 bytes each, followed by the data; the caller must not change them afterwards
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

  /** Returns the log in the form that RLP encodes. */
  toRlp(): RlpItem[] {
    return [this.#account, this.#topicsAsBytes(), this.#bytes.subarray(this.#dataAt)];
  }

  /** Returns the entries of the bloom filter: address and topics. */
  filtered(): Uint8Array[] {
    return [this.#account, ...this.#topicsAsBytes()];
  }

  /** JSON.stringify ignores getters of a prototype, so this method returns their values. */
  toJSON(): Log {
    return { address: this.address, topics: this.topics, data: this.data };
  }

  #topicsAsBytes(): Uint8Array[] {
    const topics: Uint8Array[] = [];
    for (let at = 0; at < this.#dataAt; at += topicBytes) topics.push(this.#bytes.subarray(at, at + topicBytes));
    return topics;
  }
}

/** Returns {@link BytesLog.toRlp} of any log. */
export function rlpOfLog(log: Log): RlpItem[] {
  if (log instanceof BytesLog) return log.toRlp();
  return [bytesFromHex(log.address), log.topics.map(bytesFromHex), bytesFromHex(log.data)];
}

/** Returns {@link BytesLog.filtered} of any log. */
export function filteredOfLog(log: Log): Uint8Array[] {
  if (log instanceof BytesLog) return log.filtered();
  return [log.address, ...log.topics].map(bytesFromHex);
}
