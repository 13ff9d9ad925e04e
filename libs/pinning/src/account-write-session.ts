// `pinBlock` is a hot path of small adds: tools/bench/peers.mjs, row `add 4 KiB`. `putMany` and `pinMany` are the plain version;
// pin-block.spec.ts compares both.
import { type Block, BlockNotFoundError, type ClaimOptions, type Hold } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import { ClaimSet, digestPart } from './claim-set.ts';
import { PinModeError } from './errors.ts';
import { isLeaf } from './links.ts';
import { ownerOf } from './owner.ts';
import { type PartitionedDags, partitionDags } from './partition-dags.ts';
import type { Pin, PinConditions } from './pin-store.ts';
import { replacementPin, singleBlockPins, sizedPin } from './replacement-pin.ts';
import { claimLeftovers, unclaimDags } from './session-claims.ts';
import { touchDag } from './touch-dag.ts';
import { blockKey, cidOfBlockKey, type DagSize, isStored, type WalkOptions } from './walk-dag.ts';
import { type QuotaRoom, WriteQuota } from './write-quota.ts';
import type { PinManyOptions, PinOptions, WritableBlocks, WriteOptions, WriteSession } from './write-session.ts';
import type { WriteSessionContext } from './write-session-context.ts';
import { nameOf, WrittenBlocks } from './written-blocks.ts';

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
  #syncFailure: { readonly error: unknown } | undefined;
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

  /**
   * A sync waits for blocks of all sessions, and can fail for theirs. So a session without new blocks skips it. After a failure
   * each further sync fails immediately, since a client would wait again for a store that does not answer.
   */
  async #sync(): Promise<void> {
    if (this.#isSynced) return;
    if (this.#syncFailure !== undefined) throw this.#syncFailure.error;
    this.#isSynced = true;
    try {
      await this.#context.blocks.sync();
    } catch (error) {
      this.#isSynced = false;
      this.#syncFailure = { error };
      throw error;
    }
  }

  async #putMany(blocks: readonly Block[]): Promise<void> {
    this.#options.signal?.throwIfAborted();
    this.#options.onPut?.(blocks);
    const counted = await this.#quota.count(blocks, this.#covered);
    this.#isSynced = false;
    const written = blocks.filter(({ cid }) => isStored(cid)).map((block) => ({ cid: block.cid, name: nameOf(block) }));
    await this.#context.blocks.putMany(blocks, { owner: this.#owner, isLeaf: ({ cid, bytes }) => isLeaf(cid, bytes) });
    for (const { cid, name } of written) {
      this.#unpinned.add(name, counted?.get(digestPart(cid)) ?? 0);
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
    const { pins, now } = this.#context;
    const before = await pins.get(this.#account, cid);
    if (before?.mode === 'recursive' && mode === 'direct') throw new PinModeError(cid.toString(), before.mode);
    await this.#sync();
    const createdAt = now();
    const wanted = replacementPin(before, { cid, mode, name, addedAs, isRequested, createdAt });
    // Only a walk finds the written and claimed blocks of the DAG. Without any, a known root needs no walk.
    if (this.#unpinned.size === 0 && (await this.#claimsAmong([cid])).size === 0) {
      const known = await pins.putKnownRoot(this.#account, wanted, await this.#quota.forPin(new ClaimSet()));
      if (known) {
        this.#hasCommitted = true;
        return known;
      }
    }
    const room = before?.mode === mode ? undefined : await this.#quota.room(before?.size.bytes ?? 0);
    const progress = onProgress && { onProgress };
    const { written, claims, ...size } = await (mode === 'recursive'
      ? this.#walk(cid, { ...progress }, room)
      : this.#touchBlock(cid));
    const pin = sizedPin(wanted, size);
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

  async #pinMany(cids: readonly CID[], options: PinManyOptions): Promise<void> {
    await this.#sync();
    const { singleBlock, multiBlock } = await partitionDags(this.#context.blocks, cids, {
      leafBytes: this.#leafBytes,
      signal: this.#options.signal,
    });
    if (singleBlock.length > 0) await this.#pinSingles(singleBlock, options);
    for (const cid of multiBlock)
      await this.#pin(cid, { name: options.name, addedAs: options.addedAs?.get(cid.toString()) });
  }

  pinBlock(block: Block, options: PinManyOptions = {}): Promise<void> {
    return this.#orHoldLost(this.#pinBlock(block, options));
  }

  async #pinBlock(block: Block, options: PinManyOptions): Promise<void> {
    await this.#putMany([block]);
    await this.#sync();
    await this.#pinSingles([{ cid: block.cid, bytes: block.bytes.length }], options);
  }

  async #pinSingles(dags: PartitionedDags['singleBlock'], options: PinManyOptions): Promise<void> {
    const cids = dags.map(({ cid }) => cid);
    const claims = await this.#claimsAmong(cids);
    const [missing] = await this.#touchMany(cids);
    if (missing) throw new BlockNotFoundError(missing.toString());
    const created = await singleBlockPins(this.#context, this.#account, dags, options);
    await this.#sync();
    await this.#context.pins.put(this.#account, created, await this.#conditions(claims));
    this.#hasCommitted = true;
    const written = cids.map(blockKey).filter((key) => this.#unpinned.has(key));
    this.#releaseWritten(written, claims.uncountedBytes);
    await unclaimDags(this.#context, this.#owner, claims, cids);
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
    if (this.#unpinned.size === 0 && this.#spilled === 0) return this.#sync();
    await Promise.all([this.#sync(), this.#claimWritten()]);
    if (this.#spilled > 0) {
      await claimLeftovers(this.#context.collectable, this.#owner);
      this.#spilled = 0;
      this.#quota.release();
    }
    // A claim of a block that was collected meanwhile does nothing. A pin has confirmed the hold.
    await this.confirm();
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
    const missing = isStored(cid) ? await this.#touchMany([cid]) : [];
    if (missing.length > 0) throw new BlockNotFoundError(cid.toString());
    const [bytes, claims] = [await this.#context.blocks.size(cid), await this.#claimsAmong([cid])];
    return { blocks: 1, bytes, written: [blockKey(cid)].filter((key) => this.#unpinned.has(key)), claims };
  }

  async #claimsAmong(cids: readonly CID[]): Promise<ClaimSet> {
    const claims = new ClaimSet();
    claims.add(await this.#context.collectable.claimsAmong(cids, this.#owner));
    return claims;
  }

  #touchMany(cids: readonly CID[]): Promise<CID[]> {
    this.#options.onVisit?.(cids.length);
    // Own blocks are durable after a sync. Blocks of others may be pending in their sessions.
    if (this.#isSynced && cids.some((cid) => !this.#unpinned.has(blockKey(cid)))) this.#isSynced = false;
    return this.#context.collectable.touchMany(cids, { owner: this.#owner });
  }

  readonly #leafBytes = (cid: CID): number | undefined => this.#unpinned.leafBytes(cid);

  /** Touches a whole DAG. @throws QUOTA_EXCEEDED as soon as the DAG exceeds the room */
  async #walk(root: CID, { onProgress }: WalkOptions = {}, room?: QuotaRoom): Promise<WalkResult> {
    const { signal } = this.#options;
    const written = new Set<string>();
    const claims = new ClaimSet();
    const touchMany = (cids: readonly CID[]) => {
      for (const key of cids.map(blockKey)) if (this.#unpinned.has(key)) written.add(key);
      return this.#touchMany(cids);
    };
    const options = { touchMany, owner: this.#owner, claims, room, signal, leafBytes: this.#leafBytes };
    const size = await touchDag(this.#context, root, { ...options, ...(onProgress && { onProgress }) });
    return { ...size, written: [...written], claims };
  }

  touch(root: CID): Promise<DagSize> {
    this.#coveredRoots.push(root);
    const touchMany = (cids: readonly CID[]) => this.#touchMany(cids);
    const { signal } = this.#options;
    const options = { touchMany, owner: this.#owner, claims: this.#covered, signal, leafBytes: this.#leafBytes };
    return touchDag(this.#context, root, options);
  }

  async end(): Promise<{ readonly leftovers: number }> {
    const leftovers = this.#unpinned.size + this.#spilled;
    this.#spilled = 0;
    try {
      // If the disk refuses the write, garbage collection removes the blocks later.
      await this.#claimWritten({ isLeftover: true, isBestEffort: true }).catch(() => {});
    } finally {
      this.#unpinned.clear();
      this.#quota.release();
      await this.#hold.release();
    }
    return { leftovers };
  }
}
