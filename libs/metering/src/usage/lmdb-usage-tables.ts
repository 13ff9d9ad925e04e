import type { Database, Environment } from '@cairn/embedded-store';
import { addCounts, type UsageCounts, type UsageRow, zeroCounts } from './usage.ts';
import type { Resolution, UsageDelta } from './usage-store.ts';

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

/** Tables of usage in LMDB. Changes belong to a transaction of the caller. */
export class LmdbUsageTables {
  readonly rows: Readonly<Record<Resolution, Database>>;
  readonly lastUsed: Database;
  readonly stored: Database;

  constructor(environment: Environment) {
    this.rows = {
      minute: environment.database('usage-minutes'),
      hour: environment.database('usage-hours'),
      day: environment.database('usage-days'),
    };
    this.lastUsed = environment.database('keys-last-used');
    this.stored = environment.database('stored-bytes');
  }

  /** Adds counts to the row that starts at a time. */
  addTo(resolution: Resolution, delta: UsageDelta, at: number): void {
    const key = keyOf(delta, at);
    const before = this.rows[resolution].get(key);
    const sum = addCounts(zeroCounts(), delta);
    if (before !== undefined) addCounts(sum, decodeCounts(before));
    this.rows[resolution].put(key, encodeCounts(sum));
  }

  /** Replaces a row. */
  putRow(resolution: Resolution, row: UsageRow): void {
    this.rows[resolution].put(keyOf(row, row.at), encodeCounts(row));
  }

  /** Records the use of a key, unless a later one is known. */
  putUse(accountId: string, key: string, at: number): void {
    const name = Buffer.from(`${accountId}\0${key}`);
    const before = numberOf(this.lastUsed.get(name)) ?? 0;
    if (at > before) this.lastUsed.put(name, Buffer.from(String(at)));
  }

  /** Records the stored bytes of a minute. */
  putStored(accountId: string, minute: number, bytes: number): void {
    this.stored.put(Buffer.from(`${accountId}\0${timeName(minute)}`), Buffer.from(String(bytes)));
  }
}

/** Formats a time with a fixed number of digits, so that byte order is time order. */
export function timeName(time: number): string {
  return String(Math.max(0, Math.floor(time))).padStart(15, '0');
}

function keyOf({ accountId, service, operation, network, key }: Omit<UsageRow, keyof UsageCounts>, at: number): Buffer {
  return Buffer.from([accountId, timeName(at), service, operation, network, key].join('\0'));
}

function encodeCounts(counts: UsageCounts): Buffer {
  const { requests, errors, limited, credits, bytesIn, bytesOut, gas, durationUs, latency } = counts;
  const counted: CountsRecord = [requests, errors, limited, credits, bytesIn, bytesOut, gas, durationUs, ...latency];
  return Buffer.from(JSON.stringify(counted));
}

export function decodeCounts(bytes: Uint8Array): UsageCounts {
  const counted = JSON.parse(Buffer.from(bytes).toString()) as CountsRecord;
  const [requests, errors, limited, credits, bytesIn, bytesOut, gas, durationUs, ...latency] = counted;
  return { requests, errors, limited, credits, bytesIn, bytesOut, gas, durationUs, latency };
}

export function numberOf(bytes: Uint8Array | undefined): number | undefined {
  return bytes && Number(Buffer.from(bytes).toString());
}
