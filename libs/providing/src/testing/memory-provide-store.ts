import type { CID } from '@cairn/cid';
import { isInRegion, keyOf, type Region, sectorOf } from '../keyspace.ts';
import type { ProvideCounts, ProvideRecord, ProvideStore, Settlement } from '../provide-store.ts';

/** Records in memory, for tests: each read sorts what it returns. */
export class MemoryProvideStore implements ProvideStore {
  readonly #records = new Map<string, ProvideRecord>();
  readonly #cids = new Map<string, Map<string, CID>>();
  /** Number of calls, by which tests wait for the end of work. */
  calls = 0;

  async add(cids: readonly CID[], { dueAt = 0 } = {}): Promise<number> {
    this.calls++;
    let added = 0;
    for (const cid of cids) {
      const multihash = cid.multihash.bytes;
      const key = keyOf(multihash);
      const cidsOf = this.#cids.get(hex(key)) ?? new Map<string, CID>();
      this.#cids.set(hex(key), cidsOf.set(cid.toString(), cid));
      if (this.#records.has(hex(key))) continue;
      this.#records.set(hex(key), { key, multihash: Buffer.from(multihash), dueAt, failures: 0 });
      added++;
    }
    return added;
  }

  async remove(cids: readonly CID[]): Promise<number> {
    this.calls++;
    let removed = 0;
    for (const cid of cids) {
      const key = hex(keyOf(cid.multihash.bytes));
      const cidsOf = this.#cids.get(key);
      cidsOf?.delete(cid.toString());
      if (cidsOf?.size === 0 && this.#records.delete(key)) removed++;
    }
    return removed;
  }

  async has(cid: CID): Promise<boolean> {
    return this.#cids.get(hex(keyOf(cid.multihash.bytes)))?.has(cid.toString()) ?? false;
  }

  async get(key: Uint8Array): Promise<ProvideRecord | undefined> {
    return this.#records.get(hex(key));
  }

  async cidsOf(key: Uint8Array): Promise<readonly CID[]> {
    this.calls++;
    return [...(this.#cids.get(hex(key))?.values() ?? [])];
  }

  async firstDue(sector: number): Promise<ProvideRecord | undefined> {
    const own = [...this.#records.values()].filter(({ key }) => sectorOf(key) === sector);
    return own.sort((a, b) => a.dueAt - b.dueAt || Buffer.compare(a.key, b.key))[0];
  }

  async inRegion(
    region: Region,
    { after, limit }: { readonly after?: Uint8Array | undefined; readonly limit: number },
  ): Promise<readonly ProvideRecord[]> {
    this.calls++;
    const isAfter = (key: Uint8Array) => after === undefined || Buffer.compare(key, after) > 0;
    const own = [...this.#records.values()].filter(({ key }) => isInRegion(key, region) && isAfter(key));
    return own.sort((a, b) => Buffer.compare(a.key, b.key)).slice(0, limit);
  }

  async settle(settlements: readonly Settlement[]): Promise<void> {
    this.calls++;
    for (const settlement of settlements) {
      const before = this.#records.get(hex(settlement.key));
      if (before !== undefined) this.#records.set(hex(settlement.key), { ...before, ...settlement });
    }
  }

  async counts(): Promise<ProvideCounts> {
    const times = [...this.#records.values()].flatMap(({ announcedAt }) => announcedAt ?? []);
    return {
      records: this.#records.size,
      waiting: this.#records.size - times.length,
      ...(times.length > 0 && { oldestAt: Math.min(...times) }),
    };
  }

  async close(): Promise<void> {}
}

function hex(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}
