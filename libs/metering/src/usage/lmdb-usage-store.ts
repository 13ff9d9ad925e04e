import { Environment } from '@cairn/embedded-store';
import { meteringFormat } from '../metering-format.ts';
import { decodeCounts, LmdbUsageTables, numberOf, timeName } from './lmdb-usage-tables.ts';
import { dayMs, hourMs, minuteMs, type UsageRow } from './usage.ts';
import {
  type KeyUse,
  minutesKeptMs,
  type Resolution,
  type Span,
  type StoredBytes,
  type StoredBytesSample,
  type UsageDelta,
  type UsageStore,
} from './usage-store.ts';

class LmdbUsageStore implements UsageStore {
  readonly #environment: Environment;
  readonly #tables: LmdbUsageTables;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#tables = new LmdbUsageTables(environment);
  }

  async add(
    deltas: readonly UsageDelta[],
    seen: readonly KeyUse[],
    stored: readonly StoredBytesSample[],
  ): Promise<void> {
    await this.#environment.transaction(() => {
      for (const delta of deltas) {
        this.#tables.addTo('minute', delta, delta.at - (delta.at % minuteMs));
        this.#removeOldMinutes(delta);
        this.#tables.addTo('hour', delta, delta.at - (delta.at % hourMs));
        this.#tables.addTo('day', delta, delta.at - (delta.at % dayMs));
      }
      for (const { accountId, key, at } of seen) this.#tables.putUse(accountId, key, at);
      for (const { accountId, at, bytes } of stored) this.#tables.putStored(accountId, at - (at % minuteMs), bytes);
    });
  }

  /** Removes up to four expired rows for each row added, so that rows do not accumulate. */
  #removeOldMinutes({ accountId, at }: UsageDelta): void {
    const name = (time: number) => Buffer.from(`${accountId}\0${timeName(time)}`);
    const { minute } = this.#tables.rows;
    const old = [...minute.keys({ start: name(0), end: name(at - minutesKeptMs), limit: 4 })];
    for (const key of old) minute.remove(key);
  }

  async *rows(accountId: string, { from, to }: Span, resolution: Resolution): AsyncGenerator<UsageRow> {
    this.#environment.refresh();
    const range = {
      start: Buffer.from(`${accountId}\0${timeName(from)}`),
      end: Buffer.from(`${accountId}\0${timeName(to)}`),
    };
    for (const { key, value } of this.#tables.rows[resolution].range(range)) {
      const [, at = '', service = '', operation = '', network = '', name = ''] = Buffer.from(key)
        .toString()
        .split('\0');
      yield { accountId, at: Number(at), service, operation, network, key: name, ...decodeCounts(value) };
    }
  }

  async lastUsed(accountId: string): Promise<ReadonlyMap<string, number>> {
    this.#environment.refresh();
    const found = new Map<string, number>();
    const prefix = Buffer.from(`${accountId}\0`);
    for (const { key, value } of this.#tables.lastUsed.range({ prefix }))
      found.set(
        Buffer.from(key)
          .toString()
          .slice(accountId.length + 1),
        numberOf(value) ?? 0,
      );
    return found;
  }

  async stored(accountId: string, { from, to }: Span): Promise<readonly StoredBytes[]> {
    this.#environment.refresh();
    const name = (time: number) => Buffer.from(`${accountId}\0${timeName(time)}`);
    const before = this.#tables.stored.last({ start: name(0), end: name(from) });
    const inside = [...this.#tables.stored.range({ start: name(from), end: name(to) })];
    return [...(before ? [before] : []), ...inside].map(({ key, value }) => ({
      at: Number(
        Buffer.from(key)
          .toString()
          .slice(accountId.length + 1),
      ),
      bytes: numberOf(value) ?? 0,
    }));
  }

  close(): Promise<void> {
    return this.#environment.close();
  }
}

/** Opens the usage store in the LMDB environment of the accounts. @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
export async function openLmdbUsageStore({ directory }: { readonly directory: string }): Promise<UsageStore> {
  return new LmdbUsageStore(await Environment.open({ directory, format: meteringFormat }));
}
