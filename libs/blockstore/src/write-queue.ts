import type { CID } from '@cairn/cid';
import type { OwnedBlock } from './block-tables.ts';
import type { Block } from './blockstore.ts';

/** A block on its way to the disk, its multihash in latin1, and who puts it. */
interface Entry {
  readonly key: string;
  readonly block: Block;
  readonly owner: number;
}

/** Blocks of one transaction, which runs in one go: some 20 ms of work. */
const blocksPerWrite = 512;
/** Blocks under way: tiny ones are few bytes and much work. */
const pendingBlocksMax = 4096;

/**
 * Blocks that were taken but are not on the disk yet: readable at once, written together, tried again by every `sync`
 * when the disk does not take them.
 */
export class WriteQueue {
  readonly #write: (entries: readonly OwnedBlock[]) => Promise<void>;
  readonly #pendingBytesMax: number;
  readonly #pending = new Map<string, Entry>();
  #pendingBytes = 0;
  #queue: Entry[] = [];
  /** The write that will take the queue. */
  #nextWrite: Promise<void> | undefined;
  /** The write after which that one begins. */
  #beforeNext: Promise<void> = Promise.resolve();
  /** Settles, never rejects, when every write started so far has. */
  #lastWrite: Promise<void> = Promise.resolve();
  /** Entries whose write failed. They stay pending, and every `sync` tries them again: whoever counts on one learns it. */
  #failed: Entry[] = [];
  #retrying: Promise<void> | undefined;
  #waiting: (() => void)[] = [];

  /** `write` resolves when the blocks are on the disk. */
  constructor(write: (entries: readonly OwnedBlock[]) => Promise<void>, pendingBytesMax: number) {
    this.#write = write;
    this.#pendingBytesMax = pendingBytesMax;
  }

  /** Sum of the lengths of what is under way. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  get(cid: CID): Uint8Array | undefined {
    return this.#pending.get(pendingKey(cid))?.block.bytes;
  }

  /** Takes blocks; waits while too much is under way. @throws what the disk says while it takes nothing */
  async put(blocks: readonly Block[], owner: number): Promise<void> {
    while (true) {
      // While the disk takes nothing, no more is taken here either.
      if (this.#failed.length > 0) await this.sync();
      // Each looks again when woken: several writers of large blocks must not all squeeze through.
      else if (this.#pendingBytes > this.#pendingBytesMax || this.#pending.size > pendingBlocksMax)
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      else break;
    }
    const entries = this.#take(blocks, owner);
    if (entries.length > 0) this.#start(entries);
  }

  /**
   * Blocks that are not under way yet, now counted and readable as pending. One that is on the disk is taken too: it may
   * be about to be deleted, and only the transaction sees that.
   */
  #take(blocks: readonly Block[], owner: number): Entry[] {
    const entries: Entry[] = [];
    for (const block of blocks) {
      const key = pendingKey(block.cid);
      const pending = this.#pending.get(key);
      // A block of another owner is written once more: the write under way may have noted its owner already.
      if (pending?.owner === owner) continue;
      const entry = { key, block, owner };
      entries.push(entry);
      this.#pending.set(key, entry);
      this.#pendingBytes += block.bytes.length;
    }
    return entries;
  }

  /** One write at a time: what comes meanwhile goes together into the next, which keeps the disk busy and few pages mapped. */
  #start(entries: readonly Entry[]): void {
    for (const entry of entries) this.#queue.push(entry);
    if (this.#nextWrite === undefined) {
      this.#beforeNext = this.#lastWrite;
      this.#nextWrite = this.#lastWrite.then(() => this.#flush());
    }
    this.#lastWrite = this.#nextWrite;
  }

  async #flush(): Promise<void> {
    const entries = this.#queue;
    this.#queue = [];
    this.#nextWrite = undefined;
    for (let at = 0; at < entries.length; at += blocksPerWrite) {
      const some = entries.slice(at, at + blocksPerWrite);
      try {
        await this.#write(some);
        this.#release(some);
      } catch {
        // The reason that callers get is that of the next try: it may be another one by then.
        this.#failed.push(...some);
      }
      this.#wake();
    }
  }

  #release(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (this.#pending.get(entry.key) === entry) this.#pending.delete(entry.key);
      this.#pendingBytes -= entry.block.bytes.length;
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }

  /** Resolves when the write of all that was taken has begun: a transaction from here on comes after it. */
  async begun(): Promise<void> {
    if (this.#queue.length > 0) await this.#beforeNext;
  }

  /** Resolves when every write that was started has ended, well or not. */
  settled(): Promise<void> {
    return this.#lastWrite;
  }

  /** Resolves when all that was taken is on the disk. */
  async sync(): Promise<void> {
    await this.#lastWrite;
    while (this.#failed.length > 0) {
      // Shared by all who wait; it may have begun before the newest failure, which then takes another one.
      this.#retrying ??= this.#retry().finally(() => {
        this.#retrying = undefined;
      });
      await this.#retrying;
    }
  }

  async #retry(): Promise<void> {
    const entries = [...this.#failed];
    await this.#write(entries);
    const written = new Set(entries);
    // Those that were forgotten meanwhile are no longer counted.
    this.#release(this.#failed.filter((entry) => written.has(entry)));
    this.#failed = this.#failed.filter((entry) => !written.has(entry));
    this.#wake();
  }

  /** Gives up on a block that the disk did not take. */
  forget(cid: CID): void {
    const key = pendingKey(cid);
    const isGone = (entry: Entry) => entry.key === key;
    this.#release(this.#failed.filter(isGone));
    this.#failed = this.#failed.filter((entry) => !isGone(entry));
  }
}

function pendingKey(cid: CID): string {
  const { bytes } = cid.multihash;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
