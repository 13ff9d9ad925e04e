import { type Block, BufferPool } from '@cairn/blockstore';
import { isCairnError } from '@cairn/errors';
import type { ObjectStore } from '@cairn/object-store';
import { PackError } from '../errors.ts';
import { packLimits } from '../limits.ts';
import type { OnPack, PackWriter } from '../types.ts';
import { PendingPack } from './pending-pack.ts';

export interface PackWriterOptions {
  readonly objects: ObjectStore;
  readonly onPack: OnPack;
  /** Bytes after which a pack closes, at most `packBytesMax`; see {@link packLimits}, as for the others. */
  readonly packBytes?: number;
  readonly waitMs?: number;
  readonly quietMs?: number;
  readonly flushesMax?: number;
  readonly uploadsMax?: number;
  readonly pendingBytesMax?: number;
}

/** Bytes copied and hashed in one turn of the event loop: one to three milliseconds. */
const sliceBytes = 2 * 1024 * 1024;

/** Creates a writer of packs. */
export function createPackWriter(options: PackWriterOptions): PackWriter {
  return new GroupWriter(options);
}

interface PendingBlock {
  readonly bytes: Uint8Array;
  readonly pack: PendingPack;
  readonly index: number;
}

class GroupWriter implements PackWriter {
  readonly #options: Required<Omit<PackWriterOptions, 'packBytes'>> & { packBytes: number };
  /** Packs that are not written, oldest first, with the open one. */
  readonly #packs = new Set<PendingPack>();
  readonly #blocks = new Map<string, PendingBlock>();
  /** Buffers of written packs, for the next ones. New memory for each pack makes the garbage collector run for each 16 MiB. */
  #buffers: BufferPool;
  #open: PendingPack | undefined;
  #timer: NodeJS.Timeout | undefined;
  #changedAt = 0;
  #pendingBytes = 0;
  readonly #turns: (() => void)[] = [];
  #uploads = 0;
  /** Error of the last upload; undefined after one that succeeded. */
  #failure: unknown;
  /** Number of uploads that failed. */
  #failures = 0;
  #waiting: (() => void)[] = [];
  readonly #closing = new AbortController();

  constructor(options: PackWriterOptions) {
    const { packBytes, waitMs, quietMs, flushesMax, uploadsMax, pendingBytesMax } = packLimits;
    this.#options = { packBytes, waitMs, quietMs, flushesMax, uploadsMax, pendingBytesMax, ...options };
    this.#options.packBytes = Math.min(this.#options.packBytes, packLimits.packBytesMax);
    this.#buffers = new BufferPool({ bytesMax: this.#options.pendingBytesMax });
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get isFailing(): boolean {
    return this.#failure !== undefined;
  }

  async add(blocks: readonly Block[], tag: number, isPbLeaf?: (block: Block) => boolean): Promise<void> {
    for (const { bytes } of blocks) assertFits(bytes, this.#options.packBytes);
    let sinceYield = 0;
    for (const block of blocks) {
      while (this.#pendingBytes >= this.#options.pendingBytesMax) await this.#room();
      this.#assertOpen();
      this.#append(block, tag, isPbLeaf?.(block) === true);
      sinceYield += block.bytes.length;
      if (sinceYield < sliceBytes) continue;
      sinceYield = 0;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  pending(multihash: Uint8Array): Uint8Array | undefined {
    const block = this.#blocks.get(blockKey(multihash));
    if (block !== undefined) block.pack.isRead = true;
    return block?.bytes;
  }

  async flush(): Promise<void> {
    this.#assertOpen();
    const packs = [...this.#packs];
    if (this.#open !== undefined) {
      this.#open.flushes++;
      if (this.#open.flushes >= this.#options.flushesMax) this.#close();
      else this.#schedule();
    }
    // The first failure ends the wait. Packs that wait for their turn may take several times as long to fail.
    await Promise.all(packs.map((pack) => this.#written(pack)));
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#closing.abort(closedError());
    this.#open = undefined;
    const attempts = [...this.#packs].map(({ attempt }) => attempt);
    for (const wake of [...this.#waiting, ...this.#turns.splice(0)]) wake();
    await Promise.allSettled(attempts);
    this.#packs.clear();
    this.#blocks.clear();
    this.#pendingBytes = 0;
  }

  #append(block: Block, tag: number, isPbLeaf: boolean): void {
    const key = blockKey(block.cid.multihash.bytes);
    const known = this.#blocks.get(key);
    if (known?.pack.addTag(known.index, tag, isPbLeaf) === true) return;
    const { packBytes, waitMs } = this.#options;
    if (this.#open?.hasRoomFor(block, packBytes) === false) this.#close();
    this.#changedAt = performance.now();
    if (this.#open === undefined) {
      this.#open = new PendingPack(this.#changedAt, this.#buffers);
      this.#packs.add(this.#open);
      this.#wakeAfter(waitMs);
    }
    const before = this.#open.bytes;
    this.#blocks.set(key, { ...this.#open.add(block, tag, isPbLeaf), pack: this.#open });
    this.#pendingBytes += this.#open.bytes - before;
    if (this.#open.bytes >= packBytes) this.#close();
  }

  /** Closes the open pack when it is old enough, or when a flush waits and nothing was added for a moment. */
  #schedule(): void {
    if (this.#open === undefined) return;
    const { waitMs, quietMs } = this.#options;
    const now = performance.now();
    const untilOld = this.#open.openedAt + waitMs - now;
    const untilQuiet = this.#open.flushes > 0 ? this.#changedAt + quietMs - now : untilOld;
    const left = Math.min(untilOld, untilQuiet);
    if (left <= 0) this.#close();
    else this.#wakeAfter(left);
  }

  #wakeAfter(milliseconds: number): void {
    clearTimeout(this.#timer);
    // A busy loop fires timers before it reads sockets: blocks that have arrived meanwhile belong to the pack.
    this.#timer = setTimeout(() => setImmediate(() => this.#schedule()), Math.max(1, milliseconds));
  }

  /** Starts the upload of the open pack. */
  #close(): void {
    const pack = this.#open;
    clearTimeout(this.#timer);
    this.#open = undefined;
    if (pack !== undefined) this.#start(pack);
  }

  /** Result of the pack's current attempt, after starting one if the last has failed. */
  async #written(pack: PendingPack): Promise<void> {
    while (pack === this.#open) await this.#change();
    this.#assertOpen();
    if (this.#packs.has(pack)) await (pack.attempt ?? this.#start(pack));
  }

  #start(pack: PendingPack): Promise<void> {
    const attempt = this.#attempt(pack);
    pack.attempt = attempt;
    // A flush or an add reports a failure.
    attempt.catch(() => undefined);
    this.#notify();
    return attempt;
  }

  async #attempt(pack: PendingPack): Promise<void> {
    const { objects, onPack, uploadsMax } = this.#options;
    const { signal } = this.#closing;
    while (this.#uploads >= uploadsMax && !signal.aborted) await new Promise<void>((done) => this.#turns.push(done));
    this.#uploads++;
    try {
      signal.throwIfAborted();
      await pack.write({ objects, onPack, now: Date.now, signal });
      this.#failure = undefined;
      this.#remove(pack);
    } catch (error) {
      this.#failure = error;
      this.#failures++;
      throw error;
    } finally {
      pack.attempt = undefined;
      this.#uploads--;
      this.#turns.shift()?.();
      this.#notify();
    }
  }

  #remove(pack: PendingPack): void {
    this.#packs.delete(pack);
    this.#pendingBytes -= pack.bytes;
    for (const { cid } of pack.entries) {
      const key = blockKey(cid.multihash.bytes);
      if (this.#blocks.get(key)?.pack === pack) this.#blocks.delete(key);
    }
    pack.giveBack();
    // An idle writer keeps no memory.
    if (this.#packs.size === 0) this.#buffers = new BufferPool({ bytesMax: this.#options.pendingBytesMax });
  }

  /** Waits for a written pack. Without an upload on its way it tries a failed one. @throws the error of a store that is away */
  async #room(): Promise<void> {
    this.#assertOpen();
    const packs = [...this.#packs];
    if (packs.some(({ attempt }) => attempt !== undefined)) {
      const failures = this.#failures;
      await this.#change();
      // Further uploads to a server that hangs would take as long. After any other failure another pack may make room.
      if (this.#failures > failures && isCairnError(this.#failure, 'OBJECT_STORE_UNAVAILABLE')) throw this.#failure;
      return;
    }
    const [oldest] = packs;
    if (oldest === undefined) return;
    if (oldest === this.#open) this.#close();
    await this.#written(oldest);
  }

  /** Waits until an upload starts or ends. */
  #change(): Promise<void> {
    return new Promise((resolve) => this.#waiting.push(resolve));
  }

  #notify(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const wake of waiting) wake();
  }

  #assertOpen(): void {
    if (this.#closing.signal.aborted) throw closedError();
  }
}

function blockKey(multihash: Uint8Array): string {
  return Buffer.from(multihash.buffer, multihash.byteOffset, multihash.length).toString('latin1');
}

function closedError(): PackError {
  return new PackError('PACK_WRITER_CLOSED', 'The writer of packs was closed.', {
    hint: 'Write before close() is called.',
  });
}

function assertFits({ length }: Uint8Array, bytesMax: number): void {
  if (length <= bytesMax) return;
  throw new PackError('PACK_BLOCK_TOO_LARGE', `A block of ${length} bytes does not fit a pack of ${bytesMax}.`, {
    hint: 'Split the content into smaller blocks.',
    details: { bytes: length, bytesMax },
  });
}
