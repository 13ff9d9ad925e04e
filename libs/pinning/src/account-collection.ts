import type { Blockstore, Collectable } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { errorText } from '@cairn/errors';
import type { AccountCollectionReport } from './collection-report.ts';
import { isDagFault } from './dag-fault.ts';
import { ownerOf } from './owner.ts';
import type { PinStore, ReleasedRoot } from './pin-store.ts';
import { retainedRoots } from './retained-roots.ts';
import type { RootSource } from './root-source.ts';
import { TimeSlicer } from './time-slicer.ts';
import { visitPresent } from './visit-present.ts';
import { blockKey, cidOfBlockKey } from './walk-dag.ts';

/** Names in memory per round. The next round takes the rest. */
const candidatesMax = 1_000_000;
const blocksPerRemoval = 256;
const unreadableMax = 100;

export interface AccountStores {
  readonly pins: PinStore;
  readonly blocks: Blockstore;
  readonly collectable: Collectable;
  readonly sources?: readonly RootSource[];
}

/** One collection of blocks that an account alone has written and no longer retains. */
export class AccountCollection {
  readonly #stores: AccountStores;
  readonly #account: string;
  readonly #owner: number;
  readonly #signal: AbortSignal;
  readonly #onRemoved: (cids: readonly CID[]) => void;
  readonly #leftoversOnly: boolean;
  readonly #slicer = new TimeSlicer();

  constructor(
    stores: AccountStores,
    account: string,
    {
      signal,
      onRemoved,
      leftoversOnly = false,
    }: {
      readonly signal: AbortSignal;
      readonly onRemoved: (cids: readonly CID[]) => void;
      /** See `AccountCollectOptions`. */
      readonly leftoversOnly?: boolean;
    },
  ) {
    this.#stores = stores;
    this.#account = account;
    this.#owner = ownerOf(account);
    this.#signal = signal;
    this.#onRemoved = onRemoved;
    this.#leftoversOnly = leftoversOnly;
  }

  async run(): Promise<AccountCollectionReport> {
    await this.#stores.pins.assertConsistent({ account: this.#account, signal: this.#signal });
    let removed = 0;
    while (true) {
      const round = await this.#round();
      removed += round.removed;
      if (round.isLast || round.removed === 0) return { removed, unreadable: round.unreadable };
    }
  }

  async #round(): Promise<AccountCollectionReport & { readonly isLast: boolean }> {
    const { collectable } = this.#stores;
    const candidates = new Set<string>();
    for await (const { cid, isCounted } of collectable.claims(this.#owner)) {
      if (candidates.size >= candidatesMax) break;
      if (!this.#leftoversOnly || !isCounted) candidates.add(blockKey(cid));
    }
    const released = this.#leftoversOnly ? [] : await this.#released();
    const former = this.#leftoversOnly ? [] : await this.#formerRoots();
    if (candidates.size + released.length + former.length === 0) return { removed: 0, unreadable: [], isLast: true };
    // Later writes of the account are protected, even where the walks below have already passed.
    const keepFrom = await collectable.beginDiscard(this.#owner);
    const isWhole = await this.#addBelow(
      [...released.filter(({ isPinned }) => !isPinned).map(({ cid }) => cid), ...former],
      candidates,
    );
    const { covered, unreadable } = await this.#removeRetained(candidates);
    if (unreadable.length > 0) return { removed: 0, unreadable, isLast: true };
    await collectable.unclaimMany(covered, this.#owner);
    const { removed, isBusy } = await this.#remove(candidates, keepFrom);
    if (isWhole && !isBusy) await this.#forget(released, former);
    return { removed, unreadable, isLast: isWhole && candidates.size < candidatesMax };
  }

  async #released(): Promise<ReleasedRoot[]> {
    const roots: ReleasedRoot[] = [];
    for await (const root of this.#stores.pins.released(this.#account)) roots.push(root);
    return roots;
  }

  async #formerRoots(): Promise<CID[]> {
    const roots: CID[] = [];
    for (const source of this.#stores.sources ?? [])
      for await (const root of source.formerRootsOf?.(this.#account) ?? []) roots.push(root);
    return roots;
  }

  /** Adds the stored blocks of some DAGs. Returns false when the candidates exceed their limit. */
  async #addBelow(roots: readonly CID[], candidates: Set<string>): Promise<boolean> {
    const seen = new Set<string>();
    for (const root of roots) {
      for await (const cid of visitPresent(this.#stores.blocks, root, seen)) {
        if (candidates.size >= candidatesMax) return false;
        candidates.add(blockKey(cid));
        await this.#step();
      }
    }
    return true;
  }

  /** Removes retained blocks from the candidates. Returns those that the account claims: their claims end, the blocks stay. */
  async #removeRetained(candidates: Set<string>) {
    const { collectable, blocks, pins, sources = [] } = this.#stores;
    const covered: CID[] = [];
    const unreadable: { readonly root: string; readonly reason: string }[] = [];
    for await (const retained of retainedRoots({ blocks, pins, sources }, this.#account)) {
      // All candidates are retained, so no further walk is needed.
      if (candidates.size === 0) break;
      try {
        for await (const cid of retained.blocks()) {
          await this.#step();
          if (!candidates.delete(blockKey(cid))) continue;
          for (const claim of await collectable.claimsAmong([cid], this.#owner)) covered.push(claim.cid);
        }
      } catch (error) {
        this.#signal.throwIfAborted();
        if (!isDagFault(error)) throw error;
        if (!(await retained.isStillRetained())) continue;
        if (unreadable.length < unreadableMax)
          unreadable.push({ root: retained.root.toString(), reason: errorText(error) });
      }
    }
    return { covered, unreadable };
  }

  async #remove(candidates: Set<string>, keepFrom: number) {
    const { collectable } = this.#stores;
    let removed = 0;
    let isBusy = false;
    let batch: CID[] = [];
    const flush = async () => {
      const outcomes = await collectable.discardMany(batch, { owner: this.#owner, keepFrom });
      const removedNow = batch.filter((_, index) => outcomes[index] === 'removed');
      isBusy ||= outcomes.includes('busy');
      removed += removedNow.length;
      if (removedNow.length > 0) this.#onRemoved(removedNow);
      batch = [];
    };
    for (const key of candidates) {
      if (batch.push(cidOfBlockKey(key)) < blocksPerRemoval) continue;
      await this.#step();
      await flush();
    }
    if (batch.length > 0) await flush();
    return { removed, isBusy };
  }

  async #forget(released: readonly ReleasedRoot[], former: readonly CID[]): Promise<void> {
    await this.#stores.pins.forgetReleased(this.#account, released);
    if (former.length === 0) return;
    for (const source of this.#stores.sources ?? []) await source.forgetFormerRoots?.(this.#account, former);
  }

  async #step(): Promise<void> {
    this.#signal.throwIfAborted();
    await this.#slicer.step();
  }
}
