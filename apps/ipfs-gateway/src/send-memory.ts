import { performance } from 'node:perf_hooks';

/** Milliseconds that a client may take no byte while other responses wait for the memory that it holds. */
export const stallMs = 20_000;

/** Largest chunk of a body: a block has at most 2 MiB. */
export const chunkBytesMax = 2 * 1024 * 1024;

/** Blocked responses that may keep their blocks that are read ahead. */
const keptSourcesMax = 16;

export interface SendMemoryOptions {
  readonly bytesMax: number;
  /** Current time in milliseconds. Default: the monotonic clock. */
  readonly now?: () => number;
}

/** Connection that can be ended when it takes no bytes. */
interface Destroyable {
  destroy(): unknown;
}

/** Bytes of blocks that responses hold while their clients read. A block that several responses hold counts once. */
export class SendMemory {
  readonly #bytesMax: number;
  readonly #now: () => number;
  readonly #holders = new Map<ArrayBufferLike, number>();
  readonly #waiting = new Set<() => void>();
  /** Start of the wait of each blocked response, oldest first. */
  readonly #blocked = new Map<Destroyable, number>();
  #bytes = 0;
  #sources = 0;
  #timer: NodeJS.Timeout | undefined;

  constructor({ bytesMax, now = () => performance.now() }: SendMemoryOptions) {
    this.#bytesMax = bytesMax;
    this.#now = now;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get waiting(): number {
    return this.#waiting.size;
  }

  /** Reports whether reading ahead would hold too many blocks. */
  get isScarce(): boolean {
    return this.#bytes * 2 >= this.#bytesMax;
  }

  /** Holds the buffer of the bytes if there is room, or if it is held already. */
  tryHold({ buffer }: Uint8Array): boolean {
    const hasRoom = this.#holders.has(buffer) || this.#bytes + buffer.byteLength <= this.#bytesMax;
    if (hasRoom) this.#hold(buffer);
    return hasRoom;
  }

  /** Returns bytes that were held. */
  release({ buffer }: Uint8Array): void {
    const holders = this.#holders.get(buffer) ?? 0;
    if (holders > 1) {
      this.#holders.set(buffer, holders - 1);
      return;
    }
    if (this.#holders.delete(buffer)) this.#bytes -= buffer.byteLength;
    this.#grant();
  }

  /** Waits for room for a chunk, in order. @throws the reason of the signal */
  async reserve(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.#waiting.size === 0 && this.#tryReserve()) return;
    await new Promise<void>((resolve, reject) => {
      const go = () => {
        signal.removeEventListener('abort', stop);
        resolve();
      };
      const stop = () => {
        this.#waiting.delete(go);
        reject(signal.reason);
      };
      this.#waiting.add(go);
      signal.addEventListener('abort', stop, { once: true });
      this.checkStalls();
    });
  }

  /** Replaces reserved room by the bytes that were read, if there are any. */
  fill(bytes: Uint8Array | undefined): void {
    this.#bytes -= chunkBytesMax;
    if (bytes !== undefined) this.#hold(bytes.buffer);
    this.#grant();
  }

  /** Records that a response is blocked. The returned function records the end of that. */
  block(response: Destroyable): () => void {
    this.#blocked.set(response, this.#now());
    this.checkStalls();
    return () => this.#blocked.delete(response);
  }

  /** Takes one of the few permits to keep blocks that are read ahead while the client does not read. */
  tryKeepSource(): boolean {
    if (this.#sources >= keptSourcesMax || this.isScarce) return false;
    this.#sources++;
    return true;
  }

  dropSource(): void {
    this.#sources--;
  }

  /** Disconnects clients that have taken nothing for too long, one for each response that waits. */
  checkStalls(): void {
    clearTimeout(this.#timer);
    let wanted = this.#waiting.size;
    for (const [response, since] of this.#blocked) {
      if (wanted-- === 0) return;
      const left = since + stallMs - this.#now();
      if (left > 0) {
        this.#timer = setTimeout(() => this.checkStalls(), left).unref();
        return;
      }
      this.#blocked.delete(response);
      response.destroy();
    }
  }

  #hold(buffer: ArrayBufferLike): void {
    const holders = this.#holders.get(buffer) ?? 0;
    if (holders === 0) this.#bytes += buffer.byteLength;
    this.#holders.set(buffer, holders + 1);
  }

  #tryReserve(): boolean {
    if (this.#bytes + chunkBytesMax > this.#bytesMax) return false;
    this.#bytes += chunkBytesMax;
    return true;
  }

  #grant(): void {
    for (const go of this.#waiting) {
      if (!this.#tryReserve()) return;
      this.#waiting.delete(go);
      go();
    }
  }
}
