import { type Block, BlockNotFoundError, type Blockstore, type ClaimOptions, type Hold } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { ClaimSet, digestPart } from './claim-set.ts';
import { PinModeError, QuotaExceededError } from './errors.ts';
import { ownerOf } from './owner.ts';
import { partitionDags } from './partition-dags.ts';
import type { Pin, PinConditions } from './pin-store.ts';
import { replacementPin } from './replacement-pin.ts';
import { claimLeftovers, unclaimDags } from './session-claims.ts';
import { blockKey, cidOfBlockKey, type DagSize, isStored, type WalkOptions, walkDag } from './walk-dag.ts';
import { type QuotaContext, type QuotaRoom, WriteQuota } from './write-quota.ts';
import type { PinManyOptions, PinOptions, WritableBlocks, WriteOptions, WriteSession } from './write-session.ts';
import { type NameCount, WrittenBlocks } from './written-blocks.ts';

/** State that all write sessions of one {@link Pinning} share. */
export interface WriteSessionContext extends QuotaContext {
  readonly blocks: Blockstore;
  readonly names: NameCount;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Result of a walk of a session. */
interface WalkResult extends DagSize {
  /** Keys of the blocks that the session wrote. */
  readonly written: readonly string[];
  /** Claims of the account on blocks of the DAG, which a pin replaces. */
  readonly claims: ClaimSet;
}

/** Write session of {@link Pinning.write}. */
export class AccountWriteSession implements WriteSession {
  readonly store: WritableBlocks;
  readonly #context: WriteSessionContext;
  readonly #account: string;
  readonly #options: WriteOptions;
  readonly #hold: Hold;
  readonly #owner: number;
  readonly #quota: WriteQuota;
  readonly #unpinned: WrittenBlocks;
  /** Claims on DAGs that the session touched, for another root to retain them. */
  readonly #covered = new ClaimSet();
  /** Roots of these DAGs. */
  #coveredRoots: CID[] = [];
  /** Number of written blocks that were listed as leftovers. Their bytes stay in flight. */
  #spilled = 0;
  /** False while a block that the session wrote or touched may not be durable. Another session may be writing a touched block. */
  #isSynced = true;
  #hasCommitted = false;

  constructor(context: WriteSessionContext, account: string, options: WriteOptions, hold: Hold) {
    this.#context = context;
    this.#account = account;
    this.#options = options;
    this.#hold = hold;
    this.#owner = ownerOf(account);
    this.#unpinned = new WrittenBlocks(context.names);
    this.#quota = new WriteQuota(context, account, options.quotaBytes);
    const { blocks } = context;
    this.store = {
      get: (cid, readOptions) => blocks.get(cid, readOptions),
      has: (cid) => blocks.has(cid),
      size: (cid) => blocks.size(cid),
      putMany: (list) => this.#putMany(list),
      sync: () => this.#sync(),
    };
  }

  get hasCommitted(): boolean {
    return this.#hasCommitted;
  }

  /** A sync waits for blocks of all sessions, and can fail for theirs. So a session without new blocks skips it. */
  async #sync(): Promise<void> {
    if (this.#isSynced) return;
    this.#isSynced = true;
    try {
      await this.#context.blocks.sync();
    } catch (error) {
      this.#isSynced = false;
      throw error;
    }
  }

  async #putMany(blocks: readonly Block[]): Promise<void> {
    this.#options.signal?.throwIfAborted();
    this.#options.onPut?.(blocks);
    const counted = await this.#quota.count(blocks, this.#covered);
    this.#isSynced = false;
    await this.#context.blocks.putMany(blocks, { owner: this.#owner });
    for (const { cid } of blocks) {
      if (!isStored(cid)) continue;
      const key = blockKey(cid);
      this.#unpinned.add(key, counted?.get(digestPart(cid)) ?? 0);
      counted?.delete(digestPart(cid));
    }
    if (this.#unpinned.isFull) await this.#spill();
  }

  reserve(bytes: number): Promise<void> {
    return this.#quota.reserve(bytes, this.#covered);
  }

  assertQuota(bytes: number): Promise<void> {
    return this.#quota.assertRoom(bytes);
  }

  pin(cid: CID, options: PinOptions = {}): Promise<Pin> {
    return this.#orHoldLost(this.#pin(cid, options));
  }

  pinMany(cids: readonly CID[], options: PinManyOptions = {}): Promise<void> {
    return this.#orHoldLost(this.#pinMany(cids, options));
  }

  /** A block of the session can be missing because a collection has ended its hold. A repetition of the write then succeeds. */
  async #orHoldLost<T>(work: Promise<T>): Promise<T> {
    try {
      return await work;
    } catch (error) {
      if (isCairnError(error, 'BLOCK_NOT_FOUND')) await this.confirm();
      throw error;
    }
  }

  async #pin(cid: CID, { mode = 'recursive', name, addedAs, isRequested, onProgress }: PinOptions): Promise<Pin> {
    const { pins, collectable, now } = this.#context;
    const before = await pins.get(this.#account, cid);
    if (before?.mode === 'recursive' && mode === 'direct') throw new PinModeError(cid.toString(), before.mode);
    await this.#sync();
    const createdAt = now();
    const wanted = replacementPin(before, { cid, mode, name, addedAs, isRequested, createdAt });
    // Only a walk finds the written and claimed blocks of the DAG. Without any, a known root needs no walk.
    if (this.#unpinned.size === 0 && (await collectable.claimsAmong([cid], this.#owner)).length === 0) {
      const known = await pins.putKnownRoot(this.#account, wanted, await this.#quota.forPin(new ClaimSet()));
      if (known) {
        this.#hasCommitted = true;
        return known;
      }
    }
    const room = before?.mode === mode ? undefined : await this.#quota.room(before?.size.bytes ?? 0);
    const { written, claims, ...size } =
      mode === 'recursive'
        ? await this.#walk(cid, { ...(onProgress && { onProgress }) }, room)
        : await this.#touchBlock(cid);
    const pin = { ...wanted, size };
    await this.#sync();
    await pins.put(this.#account, [pin], await this.#conditions(claims));
    this.#hasCommitted = true;
    this.#releaseWritten(written, claims.uncountedBytes);
    await unclaimDags(this.#context, this.#owner, claims, [cid]);
    return pin;
  }

  /** Conditions of a pin that replaces claims. A store that ignores the fence shares no database with collections. */
  async #conditions(claims: ClaimSet): Promise<PinConditions> {
    const quota = await this.#quota.forPin(claims);
    if (this.#hold.fence === undefined) await this.#hold.confirm();
    return { ...quota, fence: this.#hold.fence };
  }

  async #pinMany(cids: readonly CID[], { name, addedAs }: PinManyOptions): Promise<void> {
    const { pins, blocks, collectable, now } = this.#context;
    await this.#sync();
    const dags = await partitionDags(blocks, cids, this.#options.signal);
    const wanted = (cid: CID) => ({ cid, name, addedAs: addedAs?.get(cid.toString()) });
    if (dags.singleBlock.length > 0) {
      const singles = dags.singleBlock.map(({ cid }) => cid);
      const claims = new ClaimSet();
      claims.add(await collectable.claimsAmong(singles, this.#owner));
      const [missing] = await this.#touchMany(singles);
      if (missing) throw new BlockNotFoundError(missing.toString());
      const created: Pin[] = [];
      for (const { cid, bytes } of dags.singleBlock) {
        const before = await pins.get(this.#account, cid);
        created.push({
          ...replacementPin(before, { ...wanted(cid), mode: 'recursive', createdAt: now() }),
          size: { blocks: 1, bytes },
        });
      }
      await this.#sync();
      await pins.put(this.#account, created, await this.#conditions(claims));
      this.#hasCommitted = true;
      const written = singles.map(blockKey).filter((key) => this.#unpinned.has(key));
      this.#releaseWritten(written, claims.uncountedBytes);
      await unclaimDags(this.#context, this.#owner, claims, singles);
    }
    for (const cid of dags.multiBlock) await this.#pin(cid, wanted(cid));
  }

  /** Ends the counting of written blocks as in flight, since a pin or claim counts them now. */
  #releaseWritten(keys: readonly string[], leftoverBytes = 0): void {
    let bytes = leftoverBytes;
    for (const key of keys) bytes += this.#unpinned.take(key);
    this.#quota.release(bytes);
  }

  async claimUnpinned(roots: readonly CID[] = []): Promise<void> {
    for (const root of roots) {
      const pin = await this.#context.pins.get(this.#account, root);
      if (pin?.mode === 'recursive') this.#releaseWritten((await this.#walk(root)).written);
    }
    const claims = this.#unpinned.size > 0 || this.#spilled > 0;
    await Promise.all([this.#sync(), this.#claimWritten()]);
    if (this.#spilled > 0) {
      await claimLeftovers(this.#context.collectable, this.#owner);
      this.#spilled = 0;
      this.#quota.release();
    }
    // A claim of a block that was collected meanwhile does nothing. A pin has confirmed the hold.
    if (claims) await this.confirm();
  }

  get fence(): string | undefined {
    return this.#hold.fence;
  }

  confirm(): Promise<void> {
    return this.#hold.confirm();
  }

  async #claimWritten(options: ClaimOptions = {}): Promise<void> {
    const keys = this.#unpinned.keys();
    if (keys.length === 0) return;
    await this.#context.collectable.claimMany(keys.map(cidOfBlockKey), this.#owner, options);
    this.#releaseWritten(keys);
  }

  /** Stores the names of written blocks as leftover claims, which frees their memory. */
  async #spill(): Promise<void> {
    const keys = this.#unpinned.keys();
    this.#unpinned.clear();
    this.#spilled += keys.length;
    await this.#context.collectable.claimMany(keys.map(cidOfBlockKey), this.#owner, { isLeftover: true });
  }

  async markRetained(): Promise<void> {
    this.#hasCommitted = true;
    this.#unpinned.clear();
    await unclaimDags(this.#context, this.#owner, this.#covered, this.#coveredRoots);
    this.#covered.clear();
    this.#coveredRoots = [];
  }

  /** Touches a block for a direct pin. @throws BLOCK_NOT_FOUND */
  async #touchBlock(cid: CID): Promise<WalkResult> {
    const { blocks, collectable } = this.#context;
    const missing = isStored(cid) ? await this.#touchMany([cid]) : [];
    if (missing.length > 0) throw new BlockNotFoundError(cid.toString());
    const key = blockKey(cid);
    const claims = new ClaimSet();
    claims.add(await collectable.claimsAmong([cid], this.#owner));
    return {
      blocks: 1,
      bytes: await blocks.size(cid),
      written: this.#unpinned.has(key) ? [key] : [],
      claims,
    };
  }

  #touchMany(cids: readonly CID[]): Promise<CID[]> {
    this.#options.onVisit?.(cids.length);
    // Own blocks are durable after a sync. Blocks of others may be pending in their sessions.
    if (cids.some((cid) => !this.#unpinned.has(blockKey(cid)))) this.#isSynced = false;
    return this.#context.collectable.touchMany(cids, { owner: this.#owner });
  }

  /** Touches a whole DAG. @throws QUOTA_EXCEEDED as soon as the DAG exceeds the room */
  async #walk(root: CID, options: WalkOptions = {}, room?: QuotaRoom): Promise<WalkResult> {
    const { blocks, collectable } = this.#context;
    const { signal } = this.#options;
    const written = new Set<string>();
    const claims = new ClaimSet();
    const touchMany = async (cids: readonly CID[]) => {
      for (const key of cids.map(blockKey)) if (this.#unpinned.has(key)) written.add(key);
      claims.add(await collectable.claimsAmong(cids, this.#owner));
      return await this.#touchMany(cids);
    };
    const onBytes = (bytes: number) => {
      if (room && bytes > 0 && room.usedBytes + bytes > room.quotaBytes)
        throw new QuotaExceededError(room.usedBytes, bytes, room.quotaBytes);
    };
    const size = await walkDag(blocks, root, { ...options, touchMany, onBytes, ...(signal && { signal }) });
    return { ...size, written: [...written], claims };
  }

  async touch(root: CID): Promise<DagSize> {
    const { blocks, collectable } = this.#context;
    const { signal } = this.#options;
    const touchMany = async (cids: readonly CID[]) => {
      this.#covered.add(await collectable.claimsAmong(cids, this.#owner));
      return await this.#touchMany(cids);
    };
    this.#coveredRoots.push(root);
    return await walkDag(blocks, root, { touchMany, ...(signal && { signal }) });
  }

  async end(): Promise<{ readonly leftovers: number }> {
    const leftovers = this.#unpinned.size + this.#spilled;
    this.#spilled = 0;
    try {
      // If the disk refuses the write, garbage collection removes the blocks later.
      await this.#claimWritten({ isLeftover: true }).catch(() => {});
    } finally {
      this.#unpinned.clear();
      this.#quota.release();
      await this.#hold.release();
    }
    return { leftovers };
  }
}
