import {
  type Block,
  BlockNotFoundError,
  type Blockstore,
  type ClaimOptions,
  type Collectable,
  type Hold,
} from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { ClaimSet, digestPart } from './claim-set.ts';
import { PinModeError, QuotaExceededError } from './errors.ts';
import { ownerOf } from './owner.ts';
import { partitionDags } from './partition-dags.ts';
import type { Pin, PinStore, Quota } from './pin-store.ts';
import { replacementPin } from './replacement-pin.ts';
import { blockKey, cidOfBlockKey, type DagSize, isStored, type WalkOptions, walkDag } from './walk-dag.ts';
import type { PinManyOptions, PinOptions, WritableBlocks, WriteOptions, WriteSession } from './write-session.ts';

/** What the sessions of one {@link Pinning} share. */
export interface WriteSessionContext {
  readonly pins: PinStore;
  readonly blocks: Blockstore;
  readonly collectable: Collectable;
  readonly now: () => number;
  /** Bytes of the account beside its pins. */
  readonly otherBytes: (account: string) => Promise<number>;
  /** Bytes that open sessions have written and not pinned yet, by account. */
  readonly inFlight: Map<string, number>;
}

/** Names that a session remembers: those of 2 GiB in blocks of 256 KiB, some 1 MiB of memory. */
const unpinnedMax = 8192;

/** Quota of an account, and the bytes that it holds beside those to be pinned. */
type Room = Readonly<Record<'quotaBytes' | 'usedBytes', number>>;

/** Result of a walk of a session. */
interface WalkResult extends DagSize {
  /** Blocks that the session wrote, by key. */
  readonly written: readonly string[];
  /** Claims of the account that the DAG makes superfluous. */
  readonly claims: ClaimSet;
}

/** The write session of {@link Pinning.write}. */
export class AccountWriteSession implements WriteSession {
  readonly store: WritableBlocks;
  readonly #context: WriteSessionContext;
  readonly #account: string;
  readonly #options: WriteOptions;
  readonly #hold: Hold;
  readonly #owner: number;
  /** Parts of the digests of what was written, so that repeated blocks count once. Empty without a quota. */
  readonly #seen = new Set<number>();
  /** Blocks written and neither pinned nor claimed, by key, with the bytes that count as under way for each. */
  readonly #unpinned = new Map<string, number>();
  /** Claims on DAGs that the session touched for something else to hold them, and the roots of these DAGs. */
  readonly #covered = new ClaimSet();
  #coveredRoots: CID[] = [];
  /** Whether leftovers were listed before the end. Their bytes count as under way, as before. */
  #hasSpilled = false;
  #bytes = 0;

  constructor(context: WriteSessionContext, account: string, options: WriteOptions, hold: Hold) {
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
    this.#options.onPut?.(blocks);
    const { quotaBytes } = this.#options;
    const counted = quotaBytes === undefined ? undefined : await this.#count(blocks, quotaBytes);
    await this.#context.blocks.putMany(blocks, { owner: this.#owner });
    for (const { cid } of blocks) {
      if (!isStored(cid)) continue;
      const key = blockKey(cid);
      this.#unpinned.set(key, (this.#unpinned.get(key) ?? 0) + (counted?.get(digestPart(cid)) ?? 0));
      counted?.delete(digestPart(cid));
    }
    if (this.#unpinned.size >= unpinnedMax) await this.#spill();
  }

  /** Counts what is neither counted nor claimed yet; resolves to its lengths by part. */
  async #count(blocks: readonly Block[], quotaBytes: number): Promise<Map<number, number>> {
    const fresh = new Map<number, number>();
    for (const { cid, bytes } of blocks) {
      if (!isStored(cid)) continue;
      const part = digestPart(cid);
      if (!this.#seen.has(part)) fresh.set(part, bytes.length);
    }
    const cids = blocks.map(({ cid }) => cid);
    for (const { cid, isCounted } of await this.#context.collectable.claimsAmong(cids, this.#owner))
      if (isCounted) fresh.delete(digestPart(cid));
    await this.#take(
      [...fresh.values()].reduce((sum, bytes) => sum + bytes, 0),
      quotaBytes,
    );
    for (const part of fresh.keys()) this.#seen.add(part);
    return fresh;
  }

  async #take(added: number, quotaBytes: number): Promise<void> {
    const { inFlight } = this.#context;
    const held = (await this.#heldBytes()) + (await this.#claimedBytes(this.#covered));
    // Looked at and counted in one go, so that two sessions do not both take the last bytes.
    const used = held + (inFlight.get(this.#account) ?? 0);
    if (used + added > quotaBytes) throw new QuotaExceededError(used, added, quotaBytes);
    this.#add(added);
  }

  /** Bytes of pins and other holdings. */
  async #heldBytes(): Promise<number> {
    const { pins, otherBytes } = this.#context;
    return (await pins.usage(this.#account)).bytes + (await otherBytes(this.#account));
  }

  /** Bytes that the account claims, without these claims. */
  async #claimedBytes(without: ClaimSet): Promise<number> {
    const { bytes } = await this.#context.collectable.claimed(this.#owner);
    return Math.max(0, bytes - without.countedBytes);
  }

  async reserve(bytes: number): Promise<void> {
    const { quotaBytes } = this.#options;
    if (quotaBytes !== undefined && bytes > this.#bytes) await this.#take(bytes - this.#bytes, quotaBytes);
  }

  async assertQuota(bytes: number): Promise<void> {
    const { quotaBytes } = this.#options;
    if (quotaBytes === undefined || bytes <= 0) return;
    const held = await this.#heldBytes();
    if (held + bytes > quotaBytes) throw new QuotaExceededError(held, bytes, quotaBytes);
  }

  #add(bytes: number): void {
    const { inFlight } = this.#context;
    this.#bytes += bytes;
    const left = (inFlight.get(this.#account) ?? 0) + bytes;
    if (left > 0) inFlight.set(this.#account, left);
    else inFlight.delete(this.#account);
  }

  async pin(cid: CID, { mode = 'recursive', name, addedAs, onProgress }: PinOptions = {}): Promise<Pin> {
    const { pins, blocks, collectable, now } = this.#context;
    const before = await pins.get(this.#account, cid);
    if (before?.mode === 'recursive' && mode === 'direct') throw new PinModeError(cid.toString(), before.mode);
    await blocks.sync();
    const wanted = replacementPin(before, { cid, mode, name, addedAs, createdAt: now() });
    // A walk is needed to tell which of what was written, or is claimed, the pin holds.
    if (this.#unpinned.size === 0 && (await collectable.claimsAmong([cid], this.#owner)).length === 0) {
      const held = await pins.putKnownRoot(this.#account, wanted, await this.#quota(new ClaimSet()));
      if (held) return held;
    }
    const room = before?.mode === mode ? undefined : await this.#room(before?.size.bytes ?? 0);
    const { written, claims, ...size } =
      mode === 'recursive' ? await this.#walk(cid, { ...(onProgress && { onProgress }) }, room) : await this.#one(cid);
    const pin = { ...wanted, size };
    await pins.put(this.#account, [pin], await this.#quota(claims));
    this.#holdWritten(written, claims.uncountedBytes);
    await this.#unclaim(claims, [cid]);
    return pin;
  }

  async pinMany(cids: readonly CID[], { name, addedAs }: PinManyOptions = {}): Promise<void> {
    const { pins, blocks, collectable, now } = this.#context;
    await blocks.sync();
    const found = await partitionDags(blocks, cids, this.#options.signal);
    const wanted = (cid: CID) => ({ cid, name, addedAs: addedAs?.get(cid.toString()) });
    if (found.singles.length > 0) {
      const singles = found.singles.map(({ cid }) => cid);
      const claims = new ClaimSet();
      claims.add(await collectable.claimsAmong(singles, this.#owner));
      const [missing] = await this.#touchMany(singles);
      if (missing) throw new BlockNotFoundError(missing.toString());
      const made: Pin[] = [];
      for (const { cid, bytes } of found.singles) {
        const before = await pins.get(this.#account, cid);
        made.push({
          ...replacementPin(before, { ...wanted(cid), mode: 'recursive', createdAt: now() }),
          size: { blocks: 1, bytes },
        });
      }
      await pins.put(this.#account, made, await this.#quota(claims));
      const written = singles.map(blockKey).filter((key) => this.#unpinned.has(key));
      this.#holdWritten(written, claims.uncountedBytes);
      await this.#unclaim(claims, singles);
    }
    for (const cid of found.others) await this.pin(cid, wanted(cid));
  }

  /** Ends claims on DAGs that something else holds now. A set that is too large to remember is found by another walk. */
  async #unclaim(claims: ClaimSet, roots: readonly CID[]): Promise<void> {
    if (claims.size === 0) return;
    const { blocks, collectable } = this.#context;
    const { cids } = claims;
    if (cids !== undefined) return await collectable.unclaimMany(cids, this.#owner);
    const touchMany = async (batch: readonly CID[]) => {
      await collectable.unclaimMany(batch, this.#owner);
      return [];
    };
    for (const root of roots) await walkDag(blocks, root, { touchMany });
  }

  async #quota(without: ClaimSet): Promise<Quota> {
    const otherBytes = (await this.#context.otherBytes(this.#account)) + (await this.#claimedBytes(without));
    return { bytesMax: this.#options.quotaBytes, otherBytes };
  }

  /** The quota beside what is held, where a pin of `replacedBytes` goes; nothing without a quota. */
  async #room(replacedBytes: number): Promise<Room | undefined> {
    const { quotaBytes } = this.#options;
    return quotaBytes === undefined ? undefined : { quotaBytes, usedBytes: (await this.#heldBytes()) - replacedBytes };
  }

  /** Counts the written blocks as held from here on, not as under way. */
  #holdWritten(keys: readonly string[], leftoverBytes = 0): void {
    let bytes = leftoverBytes;
    for (const key of keys) {
      bytes += this.#unpinned.get(key) ?? 0;
      this.#unpinned.delete(key);
    }
    this.#add(-Math.min(this.#bytes, bytes));
  }

  async claimUnpinned(roots: readonly CID[] = []): Promise<void> {
    for (const root of roots) {
      const pin = await this.#context.pins.get(this.#account, root);
      if (pin?.mode === 'recursive') this.#holdWritten((await this.#walk(root)).written);
    }
    await Promise.all([this.#context.blocks.sync(), this.#claimWritten()]);
    if (this.#hasSpilled) await this.#countSpilled();
  }

  async #claimWritten(options: ClaimOptions = {}): Promise<void> {
    const keys = [...this.#unpinned.keys()];
    if (keys.length === 0) return;
    await this.#context.collectable.claimMany(keys.map(cidOfBlockKey), this.#owner, options);
    this.#holdWritten(keys);
  }

  /** Lists what was written so far as leftovers, so that its names need not be remembered. */
  async #spill(): Promise<void> {
    const keys = [...this.#unpinned.keys()];
    for (const key of keys) this.#unpinned.delete(key);
    this.#hasSpilled = true;
    await this.#context.collectable.claimMany(keys.map(cidOfBlockKey), this.#owner, { isLeftover: true });
  }

  /** Claims the leftovers of the account, those of this session among them. */
  async #countSpilled(): Promise<void> {
    const { collectable } = this.#context;
    let batch: CID[] = [];
    const flush = async () => {
      if (batch.length > 0) await collectable.claimMany(batch, this.#owner);
      batch = [];
    };
    for await (const { cid, isCounted } of collectable.claims(this.#owner))
      if (!isCounted && batch.push(cid) >= unpinnedMax) await flush();
    await flush();
    this.#hasSpilled = false;
    this.#add(-this.#bytes);
  }

  async markRetained(): Promise<void> {
    this.#unpinned.clear();
    await this.#unclaim(this.#covered, this.#coveredRoots);
    this.#covered.clear();
    this.#coveredRoots = [];
  }

  async #one(cid: CID): Promise<WalkResult> {
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
    return this.#context.collectable.touchMany(cids, { owner: this.#owner });
  }

  /** Touches a whole DAG. @throws QUOTA_EXCEEDED as soon as there is no room for it */
  async #walk(root: CID, options: WalkOptions = {}, room?: Room): Promise<WalkResult> {
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
    const leftovers = this.#unpinned.size + (this.#hasSpilled ? unpinnedMax : 0);
    this.#hasSpilled = false;
    try {
      // Where the disk takes nothing, what was written is left to the collection of garbage.
      await this.#claimWritten({ isLeftover: true }).catch(() => {});
    } finally {
      this.#unpinned.clear();
      this.#add(-this.#bytes);
      await this.#hold.release();
    }
    return { leftovers };
  }
}
