import type { BufferPool } from '@cairn/blockstore/core';
import { messageInvalid } from '../errors.ts';

/** Bytes of a length before a message. 5 bytes hold 2^35. */
const lengthBytesMax = 5;

/**
 * Splits a byte stream into messages with a length before them. Keeps at most one message, and refuses a length beyond
 * `bytesMax` before any byte of the message is buffered.
 * @param onBuffered called with the change of the buffered bytes; it may throw to end the stream
 * @param buffers lends the memory of long messages
 * @throws BITSWAP_MESSAGE_INVALID
 */
export async function* readFrames(
  source: AsyncIterable<Uint8Array>,
  bytesMax: number,
  onBuffered: (bytes: number) => void = () => {},
  buffers?: BufferPool,
): AsyncGenerator<Uint8Array> {
  const frames = new FrameBuffer(bytesMax, onBuffered, buffers);
  try {
    for await (const chunk of source) {
      let rest = chunk;
      while (rest.length > 0) {
        const taken = frames.take(rest);
        rest = rest.subarray(taken.used);
        if (taken.frame === undefined) continue;
        yield taken.frame;
        frames.release();
      }
    }
    // A lost connection: no fault of the sender.
    if (!frames.isEmpty) throw new Error('The stream ended within a message.');
  } finally {
    frames.release();
  }
}

class FrameBuffer {
  readonly #bytesMax: number;
  readonly #onBuffered: (bytes: number) => void;
  readonly #buffers: BufferPool | undefined;
  #buffered = 0;
  /** Received part of the message. It grows with the received bytes, so that a length alone allocates little. */
  #body: Uint8Array = new Uint8Array();
  #filled = 0;
  #length = 0;
  #lengthBytes = 0;
  #isLengthKnown = false;

  constructor(bytesMax: number, onBuffered: (bytes: number) => void, buffers: BufferPool | undefined) {
    this.#bytesMax = bytesMax;
    this.#onBuffered = onBuffered;
    this.#buffers = buffers;
  }

  /** Reports that the message that was returned last, or an incomplete one, is no longer in memory. */
  release(): void {
    this.#onBuffered(-this.#buffered);
    this.#buffered = 0;
  }

  get isEmpty(): boolean {
    return this.#lengthBytes === 0;
  }

  /** Consumes bytes up to the end of the current message. */
  take(bytes: Uint8Array): { readonly used: number; readonly frame?: Uint8Array } {
    const used = this.#isLengthKnown ? 0 : this.#takeLength(bytes);
    if (!this.#isLengthKnown) return { used };
    const part = bytes.subarray(used, used + this.#length - this.#filled);
    this.#reserve(part.length);
    this.#body.set(part, this.#filled);
    this.#filled += part.length;
    if (this.#filled < this.#length) return { used: used + part.length };
    const frame = this.#body.subarray(0, this.#length);
    this.#body = new Uint8Array();
    this.#filled = this.#length = this.#lengthBytes = 0;
    this.#isLengthKnown = false;
    return { used: used + part.length, frame };
  }

  #takeLength(bytes: Uint8Array): number {
    for (let used = 0; used < bytes.length; ) {
      const byte = bytes[used++] as number;
      this.#length += (byte & 0x7f) * 128 ** this.#lengthBytes++;
      if (byte < 0x80) {
        if (this.#length > this.#bytesMax)
          throw messageInvalid(`it has ${this.#length} bytes, and the limit is ${this.#bytesMax}`);
        this.#isLengthKnown = true;
        return used;
      }
      if (this.#lengthBytes >= lengthBytesMax) throw messageInvalid('its length does not fit 5 bytes');
    }
    return bytes.length;
  }

  #reserve(length: number): void {
    const needed = this.#filled + length;
    if (needed <= this.#body.length) return;
    // Four times the received bytes: a block of 256 KiB in chunks of 64 KiB is copied once.
    const size = Math.min(this.#length, Math.max(needed * 4, 4096));
    const body = this.#buffers?.take(size) ?? new Uint8Array(Buffer.allocUnsafeSlow(size).buffer);
    // Counted first: the callback may throw, and the release subtracts the count.
    const growth = body.length - this.#body.length;
    this.#buffered += growth;
    this.#onBuffered(growth);
    body.set(this.#body.subarray(0, this.#filled));
    this.#buffers?.giveBack(this.#body);
    this.#body = body;
  }
}
