import { CID, codecs } from '@cairn/cid';
import { bytesFromHexDigits, hexDigitsFromBytes } from '@cairn/platform';
import * as Digest from 'multiformats/hashes/digest';
import type { Block, BlockstoreStats, PutOptions, ReadOptions } from './blockstore.ts';
import type { Claim, ClaimOptions, DiscardResult } from './claims.ts';
import type { CollectableBlockstore, Hold, SweepOptions, SweepStep } from './collectable.ts';
import { BlockNotFoundError, BlockTooLargeError, CycleOverError, QuarantinedBlockError } from './errors.ts';
import { isMarked } from './is-marked.ts';
import { limits } from './limits.ts';
import { keyOf, MemoryClaims } from './memory-claims.ts';

/** Creates a block store in memory, for scripts and tests. */
export function createMemoryBlockstore({
  now = Date.now,
}: {
  readonly now?: () => number;
} = {}): CollectableBlockstore {
  return new MemoryBlockstore(now);
}

interface StoredBlock {
  bytes: Uint8Array;
  /** Milliseconds since 1970. */
  touchedAt: number;
  touchedIn: number;
  mark: number;
  markedAs: number;
  owner: number;
  isQuarantined: boolean;
  isPbLeaf: boolean;
}

class MemoryBlockstore implements CollectableBlockstore {
  readonly #blocks = new Map<string, StoredBlock>();
  readonly #holds = new Set<{ readonly owner: number; readonly cycle: number }>();
  readonly #claims = new MemoryClaims();
  readonly #listeners: ((cids: readonly CID[]) => void)[] = [];
  readonly #quarantineListeners: ((cid: CID) => void)[] = [];
  readonly #now: () => number;
  #bytes = 0;
  #cycle = 0;
  #collection = 0;
  #keepFrom = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  async get(cid: CID, { signal }: ReadOptions = {}): Promise<Uint8Array> {
    signal?.throwIfAborted();
    const stored = this.#blocks.get(keyOf(cid));
    if (stored === undefined) throw new BlockNotFoundError(cid.toString());
    if (stored.isQuarantined) throw new QuarantinedBlockError(cid.toString());
    return stored.bytes;
  }

  async has(cid: CID): Promise<boolean> {
    return this.#blocks.get(keyOf(cid))?.isQuarantined === false;
  }

  async size(cid: CID): Promise<number> {
    if (!(await this.has(cid))) throw new BlockNotFoundError(cid.toString());
    return (await this.get(cid)).length;
  }

  async putMany(blocks: readonly Block[], { owner = 0, isLeaf }: PutOptions = {}): Promise<void> {
    for (const { cid, bytes } of blocks) {
      if (bytes.length > limits.blockBytesMax) {
        throw new BlockTooLargeError(cid.toString(), bytes.length, limits.blockBytesMax);
      }
    }
    for (const block of blocks) {
      const { cid, bytes } = block;
      const key = keyOf(cid);
      const stamp = { touchedAt: this.#now(), touchedIn: this.#cycle };
      const known = this.#blocks.get(key);
      const putBy = known && known.owner !== owner ? 0 : owner;
      const isPbLeaf = known?.isPbLeaf === true || (cid.code === codecs['dag-pb'] && isLeaf?.(block) === true);
      if (known?.isQuarantined === false) Object.assign(known, stamp, { owner: putBy, isPbLeaf });
      else {
        this.#bytes += bytes.length - (known?.bytes.length ?? 0);
        this.#blocks.set(key, {
          bytes: bytes.slice(),
          ...stamp,
          mark: 0,
          markedAs: codecs.raw,
          owner: putBy,
          isQuarantined: false,
          isPbLeaf,
        });
      }
    }
  }

  async sync(): Promise<void> {}

  async delete(cid: CID): Promise<void> {
    this.#remove(keyOf(cid));
  }

  async *keys({ signal }: ReadOptions = {}): AsyncGenerator<CID> {
    for (const key of [...this.#blocks.keys()].sort()) {
      signal?.throwIfAborted();
      yield cidOf(key);
    }
  }

  async stats(): Promise<BlockstoreStats> {
    return { blocks: this.#blocks.size, bytes: this.#bytes };
  }

  async cycle(): Promise<number> {
    return this.#collection;
  }

  async hold({ owner = 0 }: PutOptions = {}): Promise<Hold> {
    const hold = { owner, cycle: this.#cycle };
    this.#holds.add(hold);
    // One process has this store, so that no other one can end the hold.
    return { confirm: async () => {}, release: async () => void this.#holds.delete(hold) };
  }

  async touchMany(cids: readonly CID[], { owner = 0 }: PutOptions = {}): Promise<CID[]> {
    return cids.filter((cid) => {
      const stored = this.#blocks.get(keyOf(cid));
      if (stored) {
        const touchedBy = stored.owner === owner ? owner : 0;
        Object.assign(stored, { touchedAt: this.#now(), touchedIn: this.#cycle, owner: touchedBy });
      }
      return stored?.isQuarantined !== false;
    });
  }

  async leafLengths(cids: readonly CID[]): Promise<(number | undefined)[]> {
    return cids.map((cid) => {
      const stored = this.#blocks.get(keyOf(cid));
      if (stored === undefined || stored.isQuarantined) return undefined;
      return cid.code === codecs.raw || (cid.code === codecs['dag-pb'] && stored.isPbLeaf)
        ? stored.bytes.length
        : undefined;
    });
  }

  async beginCycle(): Promise<number> {
    this.#collection = ++this.#cycle;
    this.#keepFrom = Math.min(this.#cycle, ...[...this.#holds].map(({ cycle }) => cycle));
    return this.#cycle;
  }

  async unmarked(cids: readonly CID[], cycle: number): Promise<CID[]> {
    return cids.filter((cid) => {
      const stored = this.#blocks.get(keyOf(cid));
      return stored === undefined || !isMarked(stored, cid.code, cycle);
    });
  }

  async markMany(cids: readonly CID[], cycle: number): Promise<void> {
    for (const cid of cids) {
      const stored = this.#blocks.get(keyOf(cid));
      if (stored && !isMarked(stored, cid.code, cycle)) Object.assign(stored, { mark: cycle, markedAs: cid.code });
    }
  }

  async claimMany(cids: readonly CID[], owner: number, { isLeftover = false }: ClaimOptions = {}): Promise<void> {
    const claims = this.#claims.of(owner);
    for (const key of cids.map(keyOf)) {
      const stored = this.#blocks.get(key);
      if (stored === undefined) continue;
      const isCounted = !isLeftover || claims.get(key)?.isCounted === true;
      claims.set(key, { bytes: stored.bytes.length, at: this.#now(), in: this.#cycle, isCounted });
    }
  }

  async unclaimMany(cids: readonly CID[], owner: number): Promise<void> {
    for (const cid of cids) this.#claims.of(owner).delete(keyOf(cid));
  }

  async claimed(owner: number): Promise<BlockstoreStats> {
    return this.#claims.sums(owner);
  }

  async *claims(owner: number): AsyncGenerator<Claim> {
    for (const [key, { bytes, isCounted }] of [...this.#claims.of(owner)].sort(([a], [b]) => (a < b ? -1 : 1)))
      yield { cid: cidOf(key), bytes, isCounted };
  }

  async claimsAmong(cids: readonly CID[], owner: number): Promise<Claim[]> {
    return cids.map(keyOf).flatMap((key) => {
      const claim = this.#claims.of(owner).get(key);
      return claim ? [{ cid: cidOf(key), bytes: claim.bytes, isCounted: claim.isCounted }] : [];
    });
  }

  async beginDiscard(owner: number): Promise<number> {
    this.#cycle++;
    const own = [...this.#holds].filter((hold) => hold.owner === owner || hold.owner === 0);
    return Math.min(this.#cycle, ...own.map(({ cycle }) => cycle));
  }

  async discardMany(
    cids: readonly CID[],
    { owner, keepFrom }: { readonly owner: number; readonly keepFrom: number },
  ): Promise<DiscardResult[]> {
    const outcomes = cids.map((cid): DiscardResult => {
      const key = keyOf(cid);
      const stored = this.#blocks.get(key);
      if (stored === undefined) return 'absent';
      if (stored.owner !== owner) {
        this.#claims.of(owner).delete(key);
        return 'shared';
      }
      if (stored.touchedIn >= keepFrom) return 'busy';
      this.#remove(key);
      return 'removed';
    });
    this.#notifyRemoved(cids.filter((_, index) => outcomes[index] === 'removed'));
    return outcomes;
  }

  async disownAll(): Promise<void> {
    for (const stored of this.#blocks.values()) stored.owner = 0;
  }

  #remove(key: string): void {
    this.#bytes -= this.#blocks.get(key)?.bytes.length ?? 0;
    this.#blocks.delete(key);
    this.#claims.forget(key);
  }

  #notifyRemoved(cids: readonly CID[]): void {
    if (cids.length > 0) for (const listener of this.#listeners) listener(cids);
  }

  async sweep(options: SweepOptions): Promise<SweepStep> {
    const { cycle, graceSeconds, cacheGraceSeconds = graceSeconds, start, limit } = options;
    if (cycle !== this.#collection) throw new CycleOverError(cycle, this.#collection);
    const first = start ? hexDigitsFromBytes(start) : '';
    const page = [...this.#blocks.keys()]
      .filter((key) => key >= first)
      .sort()
      .slice(0, limit);
    let bytes = 0;
    const removed: CID[] = [];
    for (const key of page) {
      const stored = this.#blocks.get(key);
      this.#claims.expire(key, { before: this.#now() - graceSeconds * 1000, keepFrom: this.#keepFrom });
      const isCached = stored?.owner === 0 && !this.#claims.isClaimed(key);
      const grace = isCached ? Math.min(cacheGraceSeconds, graceSeconds) : graceSeconds;
      const isRecent = stored && Math.abs(this.#now() - stored.touchedAt) < grace * 1000;
      if (!stored || isRecent || stored.mark === cycle || stored.touchedIn >= this.#keepFrom) continue;
      bytes += stored.bytes.length;
      removed.push(cidOf(key));
      this.#remove(key);
    }
    this.#notifyRemoved(removed);
    const last = page.at(-1);
    return { removed, bytes, next: last && page.length === limit ? bytesFromHexDigits(`${last}00`) : undefined };
  }

  async quarantine(cid: CID): Promise<void> {
    const stored = this.#blocks.get(keyOf(cid));
    if (stored === undefined || stored.isQuarantined) return;
    stored.isQuarantined = true;
    for (const listener of this.#quarantineListeners) listener(cid);
  }

  async *quarantined(): AsyncGenerator<CID> {
    for (const key of [...this.#blocks.keys()].sort()) if (this.#blocks.get(key)?.isQuarantined) yield cidOf(key);
  }

  onQuarantined(listener: (cid: CID) => void): void {
    this.#quarantineListeners.push(listener);
  }

  onRemoved(listener: (cids: readonly CID[]) => void): void {
    this.#listeners.push(listener);
  }

  async close(): Promise<void> {
    this.#blocks.clear();
  }
}

function cidOf(key: string): CID {
  return CID.createV1(codecs.raw, Digest.decode(bytesFromHexDigits(key)));
}
