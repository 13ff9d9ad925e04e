import type { WebSocket } from 'ws';
import { peerApiLimits } from '../limits.ts';
import { encodeBlocks, type NumberedBlock } from '../wire/block-frames.ts';

const { bufferedBytesMax, blockMessageBytes } = peerApiLimits;

/** Sends the blocks of one turn of the event loop as few messages. It waits while the other side does not read. */
export class BlockSender {
  readonly #socket: WebSocket;
  readonly #onProgress: () => void;
  #blocks: NumberedBlock[] = [];
  #waitingBytes = 0;
  #isScheduled = false;

  /** @param onProgress called after the socket took a message */
  constructor(socket: WebSocket, onProgress: () => void) {
    this.#socket = socket;
    this.#onProgress = onProgress;
  }

  /** Bytes of blocks that the other side has not read, as far as this side can see. */
  get unreadBytes(): number {
    return this.#waitingBytes + this.#socket.bufferedAmount;
  }

  send(block: NumberedBlock): void {
    this.#blocks.push(block);
    this.#waitingBytes += block.bytes.length;
    this.#schedule();
  }

  /** Drops the blocks that wait. */
  clear(): void {
    this.#blocks = [];
    this.#waitingBytes = 0;
  }

  #schedule(): void {
    if (this.#isScheduled) return;
    this.#isScheduled = true;
    setImmediate(() => this.#flush());
  }

  #flush(): void {
    this.#isScheduled = false;
    const socket = this.#socket;
    while (this.#blocks.length > 0 && socket.readyState === socket.OPEN && socket.bufferedAmount <= bufferedBytesMax) {
      const parts = encodeBlocks(this.#takeMessage());
      const last = parts.length - 1;
      for (const [index, part] of parts.entries())
        socket.send(part, { binary: true, fin: index === last }, index === last ? () => this.#progressed() : undefined);
    }
  }

  #progressed(): void {
    if (this.#blocks.length > 0) this.#schedule();
    this.#onProgress();
  }

  #takeMessage(): NumberedBlock[] {
    let bytes = 0;
    let count = 0;
    while (count < this.#blocks.length && bytes < blockMessageBytes) bytes += this.#blocks[count++]?.bytes.length ?? 0;
    this.#waitingBytes -= bytes;
    return this.#blocks.splice(0, count);
  }
}
