import { CID } from '@cairn/cid';
import { type Database, Environment, Lease } from '@cairn/embedded-store';
import type { CollectionState } from './collection-report.ts';
import { LmdbPinTables } from './lmdb-pin-tables.ts';
import { comparePinCount, comparePinCounts } from './pin-counts.ts';
import {
  accountPrefix,
  decode,
  decodePin,
  decodeRoot,
  encode,
  inPages,
  modePrefix,
  noUsage,
  plus,
  type RootRecord,
  rootKey,
} from './pin-records.ts';
import type { CollectionLock, Pin, PinMode, PinStore, Quota, ReleasedRoot, Root, Usage } from './pin-store.ts';
import { pinsFormat } from './pins-format.ts';

const countedKey = Buffer.from('counted');
/** Written by versions 0.1 to 0.2 when an account pinned a known root without a walk. */
const sharedKey = Buffer.from('shared');
const collectionKey = Buffer.from('collection');

/**
 * Pin store in LMDB. Tables: `pins` by account and CID, `usage` by account, `released` by account, mode and CID, and `roots` by
 * mode and CID. A root has the number of accounts that pin it. Another account can thus pin it without a walk, and a collector
 * visits each DAG once.
 */
class LmdbPinStore implements PinStore {
  readonly #environment: Environment;
  readonly #tables: LmdbPinTables;
  readonly #control: Database;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#tables = new LmdbPinTables(environment);
    this.#control = environment.database('control');
  }

  /** Computes the roots and usage of a store of version 0.1, which has no roots and no counts of blocks. */
  async upgrade(): Promise<void> {
    if (this.#control.has(countedKey)) return;
    await this.#environment.transaction(() => {
      if (this.#control.has(countedKey)) return;
      const usages = new Map<string, Usage>();
      for (const { key, value } of this.#tables.pins.range()) {
        const end = key.indexOf(0) + 1;
        const prefix = Buffer.from(key.subarray(0, end)).toString('latin1');
        const pin = decodePin(CID.decode(key.subarray(end)), value);
        usages.set(prefix, plus(usages.get(prefix) ?? noUsage, { pins: 1, ...pin.size }));
        this.#tables.addToRoot(pin);
      }
      for (const [prefix, usage] of usages) this.#tables.usage.put(Buffer.from(prefix, 'latin1'), encode(usage));
      this.#control.put(countedKey, Buffer.from('1'));
    });
  }

  async put(account: string, pins: readonly Pin[], quota: Quota = {}): Promise<void> {
    await this.#environment.grouped(() => this.#tables.put(account, pins, quota));
  }

  async putKnownRoot(account: string, pin: Omit<Pin, 'size'>, quota: Quota = {}): Promise<Pin | undefined> {
    // Most pins are of new content. A lookup before the transaction saves the transaction.
    if (this.#tables.roots.get(rootKey(pin.mode, pin.cid)) === undefined) return undefined;
    return await this.#environment.grouped(() => {
      const root = this.#tables.root(pin.mode, pin.cid);
      if (root === undefined) return undefined;
      const known: Pin = { ...pin, size: root.size };
      this.#tables.put(account, [known], quota);
      return known;
    });
  }

  async remove(account: string, cids: readonly CID[]): Promise<void> {
    await this.#environment.grouped(() => this.#tables.remove(account, cids));
  }

  async get(account: string, cid: CID): Promise<Pin | undefined> {
    return this.#tables.get(account, cid);
  }

  async peek(account: string, cid: CID): Promise<Pin | undefined> {
    return this.#tables.peek(account, cid);
  }

  async *list(account: string): AsyncGenerator<Pin> {
    const prefix = accountPrefix(account);
    for await (const { key, value } of inPages(this.#tables.pins, prefix))
      yield decodePin(CID.decode(key.subarray(prefix.length)), value);
  }

  async usage(account: string): Promise<Usage> {
    return this.#tables.usageOf(account);
  }

  async assertConsistent({
    account,
    signal,
  }: {
    readonly account?: string;
    readonly signal?: AbortSignal;
  } = {}): Promise<void> {
    const { directory } = this.#environment;
    if (account !== undefined) {
      const prefix = accountPrefix(account);
      const { pins, usage } = this.#tables;
      await comparePinCount({ pins, usage, prefix }, { directory, signal });
      return;
    }
    await this.#environment.verifyPages({ ...(signal && { signal }) });
    await comparePinCounts(this.#tables, { directory, signal });
  }

  async *roots(mode: PinMode, after?: CID): AsyncGenerator<Root> {
    const prefix = modePrefix(mode);
    for await (const { key, value } of inPages(this.#tables.roots, prefix, after && rootKey(mode, after)))
      yield { cid: CID.decode(key.subarray(prefix.length)), ...decode<RootRecord>(value) };
  }

  async isPinned(mode: PinMode, cid: CID): Promise<boolean> {
    return this.#tables.roots.has(rootKey(mode, cid));
  }

  async *released(account: string): AsyncGenerator<ReleasedRoot> {
    const prefix = accountPrefix(account);
    for await (const { key } of inPages(this.#tables.released, prefix)) {
      const root = key.subarray(prefix.length);
      yield { ...decodeRoot(root), isPinned: this.#tables.roots.has(root) };
    }
  }

  async forgetReleased(account: string, roots: readonly Pick<ReleasedRoot, 'cid' | 'mode'>[]): Promise<void> {
    const prefix = accountPrefix(account);
    if (roots.length === 0) return;
    await this.#environment.transaction(() => {
      for (const { mode, cid } of roots) this.#forget(prefix, rootKey(mode, cid));
    });
  }

  #forget(prefix: Uint8Array, root: Uint8Array): void {
    if (!this.#tables.roots.has(root)) this.#tables.released.remove(Buffer.concat([prefix, root]));
  }

  async forgetReleasedBefore(time: number): Promise<void> {
    let old: Uint8Array[] = [];
    const forget = async () => {
      if (old.length === 0) return;
      await this.#environment.transaction(() => {
        for (const key of old) {
          const end = key.indexOf(0) + 1;
          this.#forget(key.subarray(0, end), key.subarray(end));
        }
      });
      old = [];
    };
    for await (const { key, value } of inPages(this.#tables.released)) {
      if (decode<{ readonly at: number }>(value).at >= time) continue;
      if (old.push(key) >= 256) await forget();
    }
    await forget();
  }

  async hasUntrackedSharing(): Promise<boolean> {
    return this.#control.has(sharedKey);
  }

  async clearUntrackedSharing(): Promise<void> {
    await this.#environment.transaction(() => this.#control.remove(sharedKey));
  }

  async collectionState(): Promise<CollectionState | undefined> {
    const found = this.#control.get(collectionKey);
    return found && decode<CollectionState>(found);
  }

  async setCollectionState(state: CollectionState): Promise<void> {
    await this.#environment.transaction(() => this.#control.put(collectionKey, encode(state)));
  }

  tryLockCollection(): Promise<CollectionLock | undefined> {
    return Lease.tryAcquire({ environment: this.#environment, name: 'collection' });
  }

  close(): Promise<void> {
    return this.#environment.close();
  }
}

/** Opens a pin store in an LMDB environment. @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
export async function openLmdbPinStore({ directory }: { readonly directory: string }): Promise<PinStore> {
  const store = new LmdbPinStore(await Environment.open({ directory, format: pinsFormat }));
  await store.upgrade();
  return store;
}
