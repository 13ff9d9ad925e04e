// Hot path of every upload. Lent buffers: a new buffer for each block makes the garbage collector run after every 15 MiB of an
// upload, at half of its CPU time (tools/bench/peers.mjs, row `add 1 GiB`).
import type { CID } from '@cairn/cid';
import type { OwnedBlock } from './block-tables.ts';
import type { Block } from './blockstore.ts';

/** A pending block. */
interface Entry {
  /** Multihash in latin1. */
  readonly key: string;
  readonly block: Block;
  readonly owner: number;
}

/** Blocks per transaction. One transaction blocks the event loop for about 20 ms at this size. */
const blocksPerWrite = 512;
/** Pending blocks. A limit of bytes alone does not bound the work, since tiny blocks have few bytes and cost much work. */
const pendingBlocksMax = 4096;

/**
 * Accepted blocks that are not durable yet. They can be read immediately and are written in groups. After a failed write
 * every `sync` retries.
 */
export class WriteQueue {
  readonly #write: (entries: readonly OwnedBlock[]) => Promise<void>;
  readonly #pendingBytesMax: number;
  readonly #pending = new Map<string, Entry>();
  #pendingBytes = 0;
  #queue: Entry[] = [];
  /** The write that will take the queue. */
  #nextWrite: Promise<void> | undefined;
  /** The write before {@link #nextWrite}. */
  #beforeNext: Promise<void> = Promise.resolve();
  /** Resolves after every write started so far. Never rejects. */
  #lastWrite: Promise<void> = Promise.resolve();
  /** Entries whose write failed. They stay pending and every `sync` retries them, so that each caller gets the error. */
  #failed: Entry[] = [];
  #retrying: Promise<void> | undefined;
  #waiting: (() => void)[] = [];

  /** @param write resolves when the blocks are durable */
  constructor(write: (entries: readonly OwnedBlock[]) => Promise<void>, pendingBytesMax: number) {
    this.#write = write;
    this.#pendingBytesMax = pendingBytesMax;
  }

  /** Sum of the lengths of the pending blocks. */
  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  /** Returns the bytes of a pending block: a copy where their buffer is lent, since the next block will overwrite it. */
  get(cid: CID): Uint8Array | undefined {
    const block = this.#pending.get(pendingKey(cid))?.block;
    return block?.lentBy?.isLent(block.bytes) ? Buffer.from(block.bytes) : block?.bytes;
  }

  /** Returns the length of a pending block. */
  lengthOf(cid: CID): number | undefined {
    return this.#pending.get(pendingKey(cid))?.block.bytes.length;
  }

  /** Accepts blocks; waits while too many are pending. @throws the error of the write while writes fail */
  async put(blocks: readonly Block[], owner: number): Promise<void> {
    while (true) {
      // Failed blocks are retried first: no further blocks are accepted while writes fail.
      if (this.#failed.length > 0) await this.sync();
      // The loop tests again after a wake-up, so that several waiting writers do not pass together.
      else if (this.#pendingBytes > this.#pendingBytesMax || this.#pending.size > pendingBlocksMax)
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      else break;
    }
    const entries = this.#take(blocks, owner);
    if (entries.length > 0) this.#start(entries);
  }

  /**
   * Makes the blocks pending that are not pending yet, and returns them. Stored blocks are written again, since a concurrent
   * deletion is only visible inside the transaction.
   */
  #take(blocks: readonly Block[], owner: number): Entry[] {
    const entries: Entry[] = [];
    for (const block of blocks) {
      const key = pendingKey(block.cid);
      const pending = this.#pending.get(key);
      // A block of another owner is written once more, since the running write may already have recorded its owner.
      if (pending?.owner === owner) {
        if (pending.block !== block) giveBack(block);
        continue;
      }
      const entry = { key, block, owner };
      entries.push(entry);
      this.#pending.set(key, entry);
      this.#pendingBytes += block.bytes.length;
    }
    return entries;
  }

  /** Starts a write. Blocks that arrive during a write share the next one, which keeps the disk busy and few pages mapped. */
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
      const batch = entries.slice(at, at + blocksPerWrite);
      try {
        await this.#write(batch);
        this.#release(batch);
      } catch {
        // Callers get the error of the next retry, which may differ.
        this.#failed.push(...batch);
      }
      this.#wake();
    }
  }

  #release(entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (this.#pending.get(entry.key) === entry) this.#pending.delete(entry.key);
      this.#pendingBytes -= entry.block.bytes.length;
      giveBack(entry.block);
    }
  }

  #wake(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const resume of waiting) resume();
  }

  /** Resolves when the write of all accepted blocks has started. A transaction that starts afterwards runs after it. */
  async writeStarted(): Promise<void> {
    if (this.#queue.length > 0) await this.#beforeNext;
  }

  /** Resolves when every started write has succeeded or failed. */
  settled(): Promise<void> {
    return this.#lastWrite;
  }

  /** Resolves when all accepted blocks are durable. @throws the error of a retried write */
  async sync(): Promise<void> {
    await this.#lastWrite;
    while (this.#failed.length > 0) {
      // Concurrent callers share a retry. A failure after its start is retried in the next round.
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
    // Entries that were forgotten meanwhile are no longer counted.
    this.#release(this.#failed.filter((entry) => written.has(entry)));
    this.#failed = this.#failed.filter((entry) => !written.has(entry));
    this.#wake();
  }

  /** Drops a block whose write failed. */
  forget(cid: CID): void {
    const key = pendingKey(cid);
    this.#release(this.#failed.filter((entry) => entry.key === key));
    this.#failed = this.#failed.filter((entry) => entry.key !== key);
  }
}

/** Returns a lent buffer to its pool, when the block is durable or refused. */
function giveBack({ lentBy, bytes }: Block): void {
  lentBy?.giveBack(bytes);
}

function pendingKey(cid: CID): string {
  const { bytes } = cid.multihash;
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('latin1');
}
