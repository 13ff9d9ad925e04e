// Hot path of every upload. Lent buffers: a new buffer for each block makes the garbage collector run after every 15 MiB of an
// upload, at half of its CPU time (tools/bench/peers.mjs, row `add 1 GiB`).
import { type CID, codecs } from '@cairn/cid';
import type { OwnedBlock } from './block-tables.ts';
import type { Block, PutOptions } from './blockstore.ts';

/** A pending block. */
interface Entry {
  /** Multihash in latin1. */
  readonly key: string;
  readonly block: Block;
  readonly owner: number;
  readonly isPbLeaf: boolean;
}

/** A requested transaction. */
interface Run {
  /** The blocks that it writes; absent until its start. */
  entries?: readonly Entry[];
  /** Resolves when it succeeded or failed. */
  ended: Promise<void>;
}

/** Blocks per transaction. One transaction blocks the event loop for about 20 ms at this size. */
const blocksPerWrite = 512;
/** Pending blocks. A limit of bytes alone does not bound the work, since tiny blocks have few bytes and cost much work. */
const pendingBlocksMax = 4096;

/** Writes the blocks that `take` returns in one transaction, which calls it once. Resolves when they are durable. */
export type WriteBlocks = (take: () => readonly OwnedBlock[]) => Promise<void>;

/**
 * Accepted blocks that are not durable yet. They can be read immediately and are written in groups. After a failed write
 * every `sync` retries.
 *
 * A transaction is requested during the commit before it, and takes the blocks that wait when it starts. Requested after that
 * commit, it would start two turns of the event loop later, and the disk would idle for a third of a large upload.
 */
export class WriteQueue {
  readonly #write: WriteBlocks;
  readonly #pendingBytesMax: number;
  readonly #pending = new Map<string, Entry>();
  #pendingBytes = 0;
  /** Entries that no transaction has taken. */
  #queue: Entry[] = [];
  /** True from the request of a transaction until it takes its blocks. */
  #isRequested = false;
  /** Numbers of entries that were accepted, and that transactions have taken, so far. */
  #accepted = 0;
  #taken = 0;
  /** Callers that wait for the next transaction to take its blocks. */
  #untilTaken: (() => void)[] = [];
  /** Transactions that have taken blocks and not ended. */
  readonly #running = new Set<Run>();
  /** Entries whose write failed. They stay pending and every `sync` retries them, so that each caller gets the error. */
  #failed: Entry[] = [];
  #retrying: Promise<void> | undefined;
  #waiting: (() => void)[] = [];

  constructor(write: WriteBlocks, pendingBytesMax: number) {
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
  async put(blocks: readonly Block[], { owner = 0, isLeaf }: PutOptions = {}): Promise<void> {
    while (true) {
      // Failed blocks are retried first: no further blocks are accepted while writes fail.
      if (this.#failed.length > 0) await this.sync();
      // The loop tests again after a wake-up, so that several waiting writers do not pass together.
      else if (this.#pendingBytes > this.#pendingBytesMax || this.#pending.size > pendingBlocksMax)
        await new Promise<void>((resolve) => this.#waiting.push(resolve));
      else break;
    }
    this.#accept(blocks, owner, isLeaf);
    this.#request();
  }

  /**
   * Makes the blocks pending that are not pending yet. Stored blocks are written again, since a concurrent deletion is only
   * visible inside the transaction.
   */
  #accept(blocks: readonly Block[], owner: number, isLeaf?: (block: Block) => boolean): void {
    for (const block of blocks) {
      const key = pendingKey(block.cid);
      const pending = this.#pending.get(key);
      // A block of another owner is written once more, since the running write may already have recorded its owner.
      if (pending?.owner === owner) {
        if (pending.block !== block) giveBack(block);
        continue;
      }
      const isPbLeaf = block.cid.code === codecs['dag-pb'] && isLeaf?.(block) === true;
      const entry = { key, block, owner, isPbLeaf };
      this.#queue.push(entry);
      this.#accepted++;
      this.#pending.set(key, entry);
      this.#pendingBytes += block.bytes.length;
    }
  }

  /** Requests a transaction for the blocks that wait, unless the requested one has not taken its blocks yet. */
  #request(): void {
    if (this.#isRequested || this.#queue.length === 0) return;
    this.#isRequested = true;
    const run: Run = { ended: Promise.resolve() };
    run.ended = this.#run(run);
  }

  async #run(run: Run): Promise<void> {
    const take = () => {
      run.entries ??= this.#take(run);
      return run.entries;
    };
    try {
      await this.#write(take);
      this.#release(take());
    } catch {
      // Callers get the error of the next retry, which may differ. A transaction that did not start took no blocks yet.
      this.#failed.push(...take());
    }
    this.#running.delete(run);
    this.#wake();
  }

  #take(run: Run): readonly Entry[] {
    const entries = this.#queue.splice(0, blocksPerWrite);
    this.#isRequested = false;
    this.#running.add(run);
    this.#taken += entries.length;
    // Requested within the transaction, it would be a part of it.
    queueMicrotask(() => this.#request());
    const waiting = this.#untilTaken;
    this.#untilTaken = [];
    for (const resume of waiting) resume();
    return entries;
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

  /**
   * Resolves when all blocks that were accepted before have a transaction: one that is requested afterwards runs after it.
   * @throws the error of the write while writes fail
   */
  async requested(): Promise<void> {
    await this.#takenTo(this.#accepted - blocksPerWrite);
    if (this.#failed.length > 0) await this.sync();
  }

  /** Resolves when the writes of all blocks that were accepted before have succeeded or failed. */
  async settled(): Promise<void> {
    await this.#takenTo(this.#accepted);
    await Promise.all([...this.#running].map(({ ended }) => ended));
  }

  /** Resolves when transactions have taken so many entries. */
  async #takenTo(count: number): Promise<void> {
    while (this.#taken < count) await new Promise<void>((resolve) => this.#untilTaken.push(resolve));
  }

  /** Resolves when all accepted blocks are durable. @throws the error of a retried write */
  async sync(): Promise<void> {
    await this.settled();
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
    await this.#write(() => entries);
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
