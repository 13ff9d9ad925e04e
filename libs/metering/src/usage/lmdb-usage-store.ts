import { type Database, Environment } from '@cairn/embedded-store';
import { meteringFormat } from '../metering-format.ts';
import { addCounts, dayMs, hourMs, minuteMs, type UsageCounts, type UsageRow, zeroCounts } from './usage.ts';
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

/** Stored form of {@link UsageCounts}: a JSON array, shorter than an object with field names. */
type CountsRecord = readonly [
  requests: number,
  errors: number,
  limited: number,
  credits: number,
  bytesIn: number,
  bytesOut: number,
  gas: number,
  durationUs: number,
  ...latency: number[],
];

class LmdbUsageStore implements UsageStore {
  readonly #environment: Environment;
  readonly #minutes: Database;
  readonly #hours: Database;
  readonly #days: Database;
  readonly #lastUsed: Database;
  readonly #stored: Database;

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#minutes = environment.database('usage-minutes');
    this.#hours = environment.database('usage-hours');
    this.#days = environment.database('usage-days');
    this.#lastUsed = environment.database('keys-last-used');
    this.#stored = environment.database('stored-bytes');
  }

  async add(
    deltas: readonly UsageDelta[],
    seen: readonly KeyUse[],
    stored: readonly StoredBytesSample[],
  ): Promise<void> {
    await this.#environment.transaction(() => {
      for (const delta of deltas) {
        addTo(this.#minutes, keyOf(delta, delta.at - (delta.at % minuteMs)), delta);
        this.#removeOldMinutes(delta);
        addTo(this.#hours, keyOf(delta, delta.at - (delta.at % hourMs)), delta);
        addTo(this.#days, keyOf(delta, delta.at - (delta.at % dayMs)), delta);
      }
      for (const { accountId, key, at } of seen) {
        const name = Buffer.from(`${accountId}\0${key}`);
        const before = numberOf(this.#lastUsed.get(name)) ?? 0;
        if (at > before) this.#lastUsed.put(name, Buffer.from(String(at)));
      }
      for (const { accountId, at, bytes } of stored) {
        this.#stored.put(Buffer.from(`${accountId}\0${timeName(at - (at % minuteMs))}`), Buffer.from(String(bytes)));
      }
    });
  }

  /** Removes up to four expired rows for each row added, so that rows do not accumulate. */
  #removeOldMinutes({ accountId, at }: UsageDelta): void {
    const name = (time: number) => Buffer.from(`${accountId}\0${timeName(time)}`);
    const old = [...this.#minutes.keys({ start: name(0), end: name(at - minutesKeptMs), limit: 4 })];
    for (const key of old) this.#minutes.remove(key);
  }

  async *rows(accountId: string, { from, to }: Span, resolution: Resolution): AsyncGenerator<UsageRow> {
    this.#environment.refresh();
    const database = { minute: this.#minutes, hour: this.#hours, day: this.#days }[resolution];
    const range = {
      start: Buffer.from(`${accountId}\0${timeName(from)}`),
      end: Buffer.from(`${accountId}\0${timeName(to)}`),
    };
    for (const { key, value } of database.range(range)) {
      const [, at = '', service = '', operation = '', network = '', name = ''] = Buffer.from(key)
        .toString()
        .split('\0');
      yield { accountId, at: Number(at), service, operation, network, key: name, ...decode(value) };
    }
  }

  async lastUsed(accountId: string): Promise<ReadonlyMap<string, number>> {
    this.#environment.refresh();
    const found = new Map<string, number>();
    const prefix = Buffer.from(`${accountId}\0`);
    for (const { key, value } of this.#lastUsed.range({ prefix }))
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
    const before = this.#stored.last({ start: name(0), end: name(from) });
    const inside = [...this.#stored.range({ start: name(from), end: name(to) })];
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

/** Formats a time with a fixed number of digits, so that byte order is time order. */
function timeName(time: number): string {
  return String(Math.max(0, Math.floor(time))).padStart(15, '0');
}

function keyOf({ accountId, service, operation, network, key }: UsageDelta, at: number): Buffer {
  return Buffer.from([accountId, timeName(at), service, operation, network, key].join('\0'));
}

function addTo(database: Database, key: Buffer, counts: UsageCounts): void {
  const before = database.get(key);
  const sum = addCounts(zeroCounts(), counts);
  if (before !== undefined) addCounts(sum, decode(before));
  const { requests, errors, limited, credits, bytesIn, bytesOut, gas, durationUs, latency } = sum;
  const counted: CountsRecord = [requests, errors, limited, credits, bytesIn, bytesOut, gas, durationUs, ...latency];
  database.put(key, Buffer.from(JSON.stringify(counted)));
}

function decode(bytes: Uint8Array): UsageCounts {
  const counted = JSON.parse(Buffer.from(bytes).toString()) as CountsRecord;
  const [requests, errors, limited, credits, bytesIn, bytesOut, gas, durationUs, ...latency] = counted;
  return { requests, errors, limited, credits, bytesIn, bytesOut, gas, durationUs, latency };
}

function numberOf(bytes: Uint8Array | undefined): number | undefined {
  return bytes && Number(Buffer.from(bytes).toString());
}

/** Opens the usage store in the LMDB environment of the accounts. @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
export async function openLmdbUsageStore({ directory }: { readonly directory: string }): Promise<UsageStore> {
  return new LmdbUsageStore(await Environment.open({ directory, format: meteringFormat }));
}
