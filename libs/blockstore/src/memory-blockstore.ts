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

/** Blocks in memory, for scripts and tests: gone with the process. */
export function createMemoryBlockstore({
  now = Date.now,
}: {
  readonly now?: () => number;
} = {}): CollectableBlockstore {
  return new MemoryBlockstore(now);
}

interface Held {
  bytes: Uint8Array;
  /** Milliseconds since 1970. */
  touchedAt: number;
  touchedIn: number;
  mark: number;
  markedAs: number;
  owner: number;
  isQuarantined: boolean;
}

class MemoryBlockstore implements CollectableBlockstore {
  readonly #blocks = new Map<string, Held>();
  readonly #holds = new Set<{ readonly owner: number; readonly cycle: number }>();
  readonly #claims = new MemoryClaims();
  readonly #listeners: ((cids: readonly CID[]) => void)[] = [];
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
    const held = this.#blocks.get(keyOf(cid));
    if (held === undefined) throw new BlockNotFoundError(cid.toString());
    if (held.isQuarantined) throw new QuarantinedBlockError(cid.toString());
    return held.bytes;
  }

  async has(cid: CID): Promise<boolean> {
    return this.#blocks.get(keyOf(cid))?.isQuarantined === false;
  }

  async size(cid: CID): Promise<number> {
    if (!(await this.has(cid))) throw new BlockNotFoundError(cid.toString());
    return (await this.get(cid)).length;
  }

  async putMany(blocks: readonly Block[], { owner = 0 }: PutOptions = {}): Promise<void> {
    for (const { cid, bytes } of blocks) {
      if (bytes.length > limits.blockBytesMax) {
        throw new BlockTooLargeError(cid.toString(), bytes.length, limits.blockBytesMax);
      }
    }
    for (const { cid, bytes } of blocks) {
      const key = keyOf(cid);
      const stamp = { touchedAt: this.#now(), touchedIn: this.#cycle };
      const known = this.#blocks.get(key);
      const putBy = known && known.owner !== owner ? 0 : owner;
      if (known?.isQuarantined === false) Object.assign(known, stamp, { owner: putBy });
      else {
        this.#bytes += bytes.length - (known?.bytes.length ?? 0);
        this.#blocks.set(key, {
          bytes: bytes.slice(),
          ...stamp,
          mark: 0,
          markedAs: codecs.raw,
          owner: putBy,
          isQuarantined: false,
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
    return { release: async () => void this.#holds.delete(hold) };
  }

  async touchMany(cids: readonly CID[], { owner = 0 }: PutOptions = {}): Promise<CID[]> {
    return cids.filter((cid) => {
      const held = this.#blocks.get(keyOf(cid));
      if (held) {
        const touchedBy = held.owner === owner ? owner : 0;
        Object.assign(held, { touchedAt: this.#now(), touchedIn: this.#cycle, owner: touchedBy });
      }
      return held?.isQuarantined !== false;
    });
  }

  async beginCycle(): Promise<number> {
    this.#collection = ++this.#cycle;
    this.#keepFrom = Math.min(this.#cycle, ...[...this.#holds].map(({ cycle }) => cycle));
    return this.#cycle;
  }

  async unmarked(cids: readonly CID[], cycle: number): Promise<CID[]> {
    return cids.filter((cid) => {
      const held = this.#blocks.get(keyOf(cid));
      return held === undefined || !isMarked(held, cid.code, cycle);
    });
  }

  async markMany(cids: readonly CID[], cycle: number): Promise<void> {
    for (const cid of cids) {
      const held = this.#blocks.get(keyOf(cid));
      if (held && !isMarked(held, cid.code, cycle)) Object.assign(held, { mark: cycle, markedAs: cid.code });
    }
  }

  async claimMany(cids: readonly CID[], owner: number, { isLeftover = false }: ClaimOptions = {}): Promise<void> {
    const claims = this.#claims.of(owner);
    for (const key of cids.map(keyOf)) {
      const held = this.#blocks.get(key);
      if (held === undefined) continue;
      const isCounted = !isLeftover || claims.get(key)?.isCounted === true;
      claims.set(key, { bytes: held.bytes.length, at: this.#now(), in: this.#cycle, isCounted });
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
      const held = this.#blocks.get(key);
      if (held === undefined) return 'absent';
      if (held.owner !== owner) {
        this.#claims.of(owner).delete(key);
        return 'shared';
      }
      if (held.touchedIn >= keepFrom) return 'busy';
      this.#remove(key);
      return 'removed';
    });
    this.#notifyRemoved(cids.filter((_, index) => outcomes[index] === 'removed'));
    return outcomes;
  }

  async disownAll(): Promise<void> {
    for (const held of this.#blocks.values()) held.owner = 0;
  }

  #remove(key: string): void {
    this.#bytes -= this.#blocks.get(key)?.bytes.length ?? 0;
    this.#blocks.delete(key);
    this.#claims.forget(key);
  }

  #notifyRemoved(cids: readonly CID[]): void {
    if (cids.length > 0) for (const listener of this.#listeners) listener(cids);
  }

  async sweep({ cycle, graceSeconds, start, limit }: SweepOptions): Promise<SweepStep> {
    if (cycle !== this.#collection) throw new CycleOverError(cycle, this.#collection);
    const first = start ? hexDigitsFromBytes(start) : '';
    const page = [...this.#blocks.keys()]
      .filter((key) => key >= first)
      .sort()
      .slice(0, limit);
    let bytes = 0;
    const removed: CID[] = [];
    for (const key of page) {
      const held = this.#blocks.get(key);
      this.#claims.expire(key, { before: this.#now() - graceSeconds * 1000, keepFrom: this.#keepFrom });
      const isRecent = held && Math.abs(this.#now() - held.touchedAt) < graceSeconds * 1000;
      if (!held || isRecent || held.mark === cycle || held.touchedIn >= this.#keepFrom) continue;
      bytes += held.bytes.length;
      removed.push(cidOf(key));
      this.#remove(key);
    }
    this.#notifyRemoved(removed);
    const last = page.at(-1);
    return { removed, bytes, next: last && page.length === limit ? bytesFromHexDigits(`${last}00`) : undefined };
  }

  async quarantine(cid: CID): Promise<void> {
    const held = this.#blocks.get(keyOf(cid));
    if (held) held.isQuarantined = true;
  }

  async *quarantined(): AsyncGenerator<CID> {
    for (const key of [...this.#blocks.keys()].sort()) if (this.#blocks.get(key)?.isQuarantined) yield cidOf(key);
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
