import type { Block, Collectable } from '@cairn/blockstore';
import { type ClaimSet, digestPart } from './claim-set.ts';
import { QuotaExceededError } from './errors.ts';
import { ownerOf } from './owner.ts';
import type { PinStore, Quota } from './pin-store.ts';
import { isStored } from './walk-dag.ts';

export interface QuotaContext {
  readonly pins: PinStore;
  readonly collectable: Collectable;
  /** Returns the bytes that an account uses in addition to its pins. */
  readonly otherBytes: (account: string) => Promise<number>;
  /** Bytes in flight by account: written by open sessions and neither pinned nor claimed yet. */
  readonly inFlight: Map<string, number>;
}

/** Quota of an account, and its bytes without the DAG that is being pinned. */
export interface QuotaRoom {
  readonly quotaBytes: number;
  readonly usedBytes: number;
}

/** Quota accounting of one write session. Written bytes count as in flight until the session releases them. */
export class WriteQuota {
  readonly #context: QuotaContext;
  readonly #account: string;
  readonly #owner: number;
  readonly #quotaBytes: number | undefined;
  /** Digest parts of counted blocks, so that a repeated block counts once. Empty without a quota. */
  readonly #seen = new Set<number>();
  /** Bytes in flight of this session. */
  #bytes = 0;

  constructor(context: QuotaContext, account: string, quotaBytes: number | undefined) {
    this.#context = context;
    this.#account = account;
    this.#owner = ownerOf(account);
    this.#quotaBytes = quotaBytes;
  }

  /**
   * Counts blocks that are neither counted nor claimed yet.
   * @param covered claims that do not count, since another root is about to retain their blocks
   * @returns the counted lengths by digest part; undefined without a quota
   * @throws QUOTA_EXCEEDED
   */
  async count(blocks: readonly Block[], covered: ClaimSet): Promise<Map<number, number> | undefined> {
    if (this.#quotaBytes === undefined) return undefined;
    const fresh = new Map<number, number>();
    for (const { cid, bytes } of blocks) {
      if (!isStored(cid)) continue;
      const part = digestPart(cid);
      if (!this.#seen.has(part)) fresh.set(part, bytes.length);
    }
    const cids = blocks.map(({ cid }) => cid);
    for (const { cid, isCounted } of await this.#context.collectable.claimsAmong(cids, this.#owner))
      if (isCounted) fresh.delete(digestPart(cid));
    const added = [...fresh.values()].reduce((sum, bytes) => sum + bytes, 0);
    await this.#take(added, this.#quotaBytes, covered);
    for (const part of fresh.keys()) this.#seen.add(part);
    return fresh;
  }

  /** Raises the bytes in flight of the session to `bytes`. @throws QUOTA_EXCEEDED */
  async reserve(bytes: number, covered: ClaimSet): Promise<void> {
    if (this.#quotaBytes === undefined || bytes <= this.#bytes) return;
    await this.#take(bytes - this.#bytes, this.#quotaBytes, covered);
  }

  async #take(added: number, quotaBytes: number, covered: ClaimSet): Promise<void> {
    const { inFlight } = this.#context;
    const stored = (await this.#storedBytes()) + (await this.#claimedBytes(covered));
    // Compared and added without an await in between, so that two sessions cannot both take the last bytes.
    const used = stored + (inFlight.get(this.#account) ?? 0);
    if (used + added > quotaBytes) throw new QuotaExceededError(used, added, quotaBytes);
    this.#add(added);
  }

  /**
   * Verifies that the quota has room for more bytes in addition to pins and root sources. Claims do not count. @throws
   * QUOTA_EXCEEDED
   */
  async assertRoom(bytes: number): Promise<void> {
    if (this.#quotaBytes === undefined || bytes <= 0) return;
    const stored = await this.#storedBytes();
    if (stored + bytes > this.#quotaBytes) throw new QuotaExceededError(stored, bytes, this.#quotaBytes);
  }

  /** Returns the quota for {@link PinStore.put}, without the claims that the pin replaces. */
  async forPin(replaced: ClaimSet): Promise<Quota> {
    if (this.#quotaBytes === undefined) return {};
    const [other, claimed] = await Promise.all([this.#context.otherBytes(this.#account), this.#claimedBytes(replaced)]);
    return { bytesMax: this.#quotaBytes, otherBytes: other + claimed };
  }

  /** Returns the room for a DAG that replaces a pin of `replacedBytes`; undefined without a quota. */
  async room(replacedBytes: number): Promise<QuotaRoom | undefined> {
    const quotaBytes = this.#quotaBytes;
    return quotaBytes === undefined
      ? undefined
      : { quotaBytes, usedBytes: (await this.#storedBytes()) - replacedBytes };
  }

  /** Ends the counting of bytes as in flight; by default of all bytes of the session. */
  release(bytes = this.#bytes): void {
    this.#add(-Math.min(this.#bytes, bytes));
  }

  #add(bytes: number): void {
    const { inFlight } = this.#context;
    this.#bytes += bytes;
    const left = (inFlight.get(this.#account) ?? 0) + bytes;
    if (left > 0) inFlight.set(this.#account, left);
    else inFlight.delete(this.#account);
  }

  /** Bytes of pins and of other root sources. */
  async #storedBytes(): Promise<number> {
    const { pins, otherBytes } = this.#context;
    const [{ bytes }, other] = await Promise.all([pins.usage(this.#account), otherBytes(this.#account)]);
    return bytes + other;
  }

  /** Bytes of the counted claims of the account, except these. */
  async #claimedBytes(except: ClaimSet): Promise<number> {
    const { bytes } = await this.#context.collectable.claimed(this.#owner);
    return Math.max(0, bytes - except.countedBytes);
  }
}
