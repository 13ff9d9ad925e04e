import { type Block, BlockNotFoundError, type Blockstore, type Collectable, type Hold } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { PinModeError, QuotaExceededError } from './errors.ts';
import { ownerOf } from './owner.ts';
import type { Pin, PinStore, Quota } from './pin-store.ts';
import { type DagSize, isStored, type WalkOptions, walkDag } from './walk-dag.ts';
import type { SessionPinOptions, WritableBlocks, WriteOptions, WriteSession } from './write-session.ts';

/** What the sessions of one {@link Pinning} share. */
export interface SessionContext {
  readonly pins: PinStore;
  readonly blocks: Blockstore;
  readonly collectable: Collectable;
  readonly now: () => number;
  /** Bytes of the account beside its pins. */
  readonly otherBytes: (account: string) => Promise<number>;
  /** Bytes that open sessions have written and not pinned yet, by account. */
  readonly inFlight: Map<string, number>;
}

/** The write session of {@link Pinning.write}. */
export class Session implements WriteSession {
  readonly store: WritableBlocks;
  readonly #context: SessionContext;
  readonly #account: string;
  readonly #options: WriteOptions;
  readonly #hold: Hold;
  readonly #owner: number;
  /** Parts of the digests of what was written, so that repeated blocks count once. Empty without a quota. */
  readonly #seen = new Set<number>();
  #bytes = 0;

  constructor(context: SessionContext, account: string, options: WriteOptions, hold: Hold) {
    this.#context = context;
    this.#account = account;
    this.#options = options;
    this.#hold = hold;
    this.#owner = ownerOf(account);
    const { blocks } = context;
    this.store = {
      get: (cid, readOptions) => blocks.get(cid, readOptions),
      has: (cid) => blocks.has(cid),
      size: (cid) => blocks.size(cid),
      putMany: (list) => this.#putMany(list),
      sync: () => blocks.sync(),
    };
  }

  async #putMany(blocks: readonly Block[]): Promise<void> {
    this.#options.signal?.throwIfAborted();
    if (this.#options.quotaBytes !== undefined) await this.#count(blocks, this.#options.quotaBytes);
    await this.#context.blocks.putMany(blocks, { owner: this.#owner });
  }

  async #count(blocks: readonly Block[], quotaBytes: number): Promise<void> {
    const fresh = new Map<number, number>();
    for (const { cid, bytes } of blocks) {
      if (!isStored(cid)) continue;
      const part = partOf(cid);
      if (!this.#seen.has(part)) fresh.set(part, bytes.length);
    }
    await this.#take(
      [...fresh.values()].reduce((sum, bytes) => sum + bytes, 0),
      quotaBytes,
    );
    for (const part of fresh.keys()) this.#seen.add(part);
  }

  async #take(added: number, quotaBytes: number): Promise<void> {
    const { pins, otherBytes, inFlight } = this.#context;
    const held = (await pins.usage(this.#account)).bytes + (await otherBytes(this.#account));
    // Looked at and counted in one go, so that two sessions do not both take the last bytes.
    const used = held + (inFlight.get(this.#account) ?? 0);
    if (used + added > quotaBytes) throw new QuotaExceededError(used, added, quotaBytes);
    this.#add(added);
  }

  async reserve(bytes: number): Promise<void> {
    const { quotaBytes } = this.#options;
    if (quotaBytes !== undefined && bytes > this.#bytes) await this.#take(bytes - this.#bytes, quotaBytes);
  }

  #add(bytes: number): void {
    const { inFlight } = this.#context;
    this.#bytes += bytes;
    const left = (inFlight.get(this.#account) ?? 0) + bytes;
    if (left > 0) inFlight.set(this.#account, left);
    else inFlight.delete(this.#account);
  }

  async pin(cid: CID, { mode = 'recursive', name, onProgress }: SessionPinOptions = {}): Promise<Pin> {
    const { pins, blocks, now } = this.#context;
    const before = await pins.get(this.#account, cid);
    if (before?.mode === 'recursive' && mode === 'direct') throw new PinModeError(cid.toString(), before.mode);
    await blocks.sync();
    const quota = await this.#quota();
    const wanted = { cid, mode, name: name ?? before?.name, createdAt: now() };
    const held = await pins.putHeld(this.#account, wanted, quota);
    if (held) return held;
    const size =
      mode === 'recursive' ? await this.#walk(cid, { ...(onProgress && { onProgress }) }) : await this.#one(cid);
    const pin = { ...wanted, size };
    await pins.put(this.#account, [pin], quota);
    // From here on they count as held, not as under way.
    this.#add(-Math.min(this.#bytes, size.bytes));
    return pin;
  }

  async #quota(): Promise<Quota> {
    return { bytesMax: this.#options.quotaBytes, otherBytes: await this.#context.otherBytes(this.#account) };
  }

  async #one(cid: CID) {
    const missing = isStored(cid) ? await this.#touchMany([cid]) : [];
    if (missing.length > 0) throw new BlockNotFoundError(cid.toString());
    return { blocks: 1, bytes: await this.#context.blocks.size(cid) };
  }

  #touchMany(cids: readonly CID[]): Promise<CID[]> {
    return this.#context.collectable.touchMany(cids, { owner: this.#owner });
  }

  #walk(root: CID, options: WalkOptions = {}) {
    const { signal } = this.#options;
    const touchMany = (cids: readonly CID[]) => this.#touchMany(cids);
    return walkDag(this.#context.blocks, root, { ...options, touchMany, ...(signal && { signal }) });
  }

  touch(root: CID): Promise<DagSize> {
    return this.#walk(root);
  }

  async end(): Promise<void> {
    this.#add(-this.#bytes);
    await this.#hold.release();
  }
}

/** The last 6 bytes of a digest as a number: two blocks that share them by chance are counted as one, which harms nobody. */
function partOf({ multihash: { digest } }: CID): number {
  const bytes = Math.min(6, digest.length);
  return Buffer.from(digest.buffer, digest.byteOffset, digest.byteLength).readUIntBE(digest.length - bytes, bytes);
}
