import { CID, codecs } from '@cairn/cid';
import * as Digest from 'multiformats/hashes/digest';
import type { Block, BlockstoreStats, PutOptions, ReadOptions } from './blockstore.ts';
import type { CollectableBlockstore, Hold, SweepOptions, SweepStep } from './collectable.ts';
import { BlockNotFoundError, BlockTooLargeError, CycleOverError, QuarantinedBlockError } from './errors.ts';
import { isMarked } from './is-marked.ts';
import { limits } from './limits.ts';

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
  readonly #holds = new Map<symbol, number>();
  readonly #listeners: ((cids: readonly CID[]) => void)[] = [];
  readonly #now: () => number;
  #bytes = 0;
  #cycle = 0;
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
    const key = keyOf(cid);
    this.#bytes -= this.#blocks.get(key)?.bytes.length ?? 0;
    this.#blocks.delete(key);
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
    return this.#cycle;
  }

  async hold(): Promise<Hold> {
    const hold = Symbol('hold');
    this.#holds.set(hold, this.#cycle);
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
    this.#cycle++;
    this.#keepFrom = Math.min(this.#cycle, ...this.#holds.values());
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

  async sweep({ cycle, graceSeconds, owner, start, limit }: SweepOptions): Promise<SweepStep> {
    if (cycle !== this.#cycle) throw new CycleOverError(cycle, this.#cycle);
    const first = start ? Buffer.from(start).toString('hex') : '';
    const page = [...this.#blocks.keys()]
      .filter((key) => key >= first)
      .sort()
      .slice(0, limit);
    let bytes = 0;
    const removed: CID[] = [];
    const ownRemoved: CID[] = [];
    for (const key of page) {
      const held = this.#blocks.get(key);
      const isOwn = owner !== undefined && owner !== 0 && held?.owner === owner;
      const isRecent = held && !isOwn && Math.abs(this.#now() - held.touchedAt) < graceSeconds * 1000;
      if (!held || isRecent || held.mark === cycle || held.touchedIn >= this.#keepFrom) continue;
      bytes += held.bytes.length;
      removed.push(cidOf(key));
      if (isOwn) ownRemoved.push(cidOf(key));
      this.#blocks.delete(key);
    }
    this.#bytes -= bytes;
    for (const listener of this.#listeners) listener(removed);
    const last = page.at(-1);
    return {
      removed,
      ownRemoved,
      bytes,
      next: last && page.length === limit ? Buffer.from(`${last}00`, 'hex') : undefined,
    };
  }

  async *owned(owner: number): AsyncGenerator<CID> {
    for (const key of [...this.#blocks.keys()].sort()) if (this.#blocks.get(key)?.owner === owner) yield cidOf(key);
  }

  async letGo(cid: CID, { owner, remove }: { readonly owner: number; readonly remove: boolean }): Promise<boolean> {
    const held = this.#blocks.get(keyOf(cid));
    if (held?.owner !== owner) return held !== undefined;
    if (!remove) Object.assign(held, { touchedAt: 0, owner: 0 });
    else {
      await this.delete(cid);
      for (const listener of this.#listeners) listener([cid]);
    }
    return true;
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

function keyOf(cid: CID): string {
  return Buffer.from(cid.multihash.bytes).toString('hex');
}

function cidOf(key: string): CID {
  return CID.createV1(codecs.raw, Digest.decode(Buffer.from(key, 'hex')));
}
