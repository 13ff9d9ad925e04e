import { isCairnError } from '@cairn/errors';
import type { Postgres } from '@cairn/postgres';
import { type CounterState, takeFrom } from '../limits/counter.ts';
import type { HoldRequest, HoldResult, LimitRule, LimitStore, TakeRequest, TakeResult } from '../limits/limit-store.ts';
import { BoundedMap } from '../redis/bounded-map.ts';
import { holdShare } from '../redis/local-share.ts';
import { LimitProcesses } from './limit-processes.ts';

export interface PostgresLimitStoreOptions {
  /** Processes that share the limits, assumed until the database has answered. Default: 4 */
  readonly processesAssumed?: number;
  /** Milliseconds since 1970, for tests. Default: the clock. */
  readonly now?: () => number;
}

/** Counters in memory: those that were used last. */
const entriesMax = 20_000;
/** While the database is away, it is asked this often, and refusals of windows end after this time. In milliseconds. */
const refusalMs = 1000;
const away = ['POSTGRES_UNAVAILABLE', 'POSTGRES_BUSY', 'POSTGRES_OUTCOME_UNKNOWN'];

/** Counters of windows, and processes that share the other limits. Keys have zero bytes, which no text of PostgreSQL may have. */
const steps = [
  `CREATE TABLE limit_processes (
    process text COLLATE "C" PRIMARY KEY,
    expires_at timestamptz NOT NULL
  );
  CREATE TABLE limit_windows (
    key bytea PRIMARY KEY,
    used double precision NOT NULL,
    start bigint NOT NULL,
    ends_at bigint NOT NULL
  );
  CREATE INDEX limit_windows_end ON limit_windows (ends_at)`,
];

/**
 * Limits of a deployment without Redis. Each process grants its share of buckets and permits from memory: the limit divided by
 * the number of processes. Windows are exact, with one transaction for each lot: a share of a day would refuse an account whose
 * requests reach one process. While the database is away, a process grants its share of a window once.
 */
class PostgresLimitStore implements LimitStore {
  readonly #database: Postgres;
  readonly #processes: LimitProcesses;
  readonly #now: () => number;
  readonly #counters = new BoundedMap<string, CounterState>(entriesMax);
  /** Time until which the database is not asked, on the clock of `performance`. */
  #awayUntil = 0;
  readonly #held = new BoundedMap<string, number>(entriesMax);

  constructor(database: Postgres, { processesAssumed = 4, now = Date.now }: PostgresLimitStoreOptions) {
    this.#database = database;
    this.#now = now;
    this.#processes = new LimitProcesses(database, processesAssumed);
  }

  async take(requests: readonly TakeRequest[]): Promise<TakeResult[]> {
    await this.#processes.use();
    const results: TakeResult[] = [];
    for (const request of requests) results.push(await this.#take(request));
    return results;
  }

  async #take(request: TakeRequest): Promise<TakeResult> {
    if (request.rule.kind === 'bucket') return this.#takeShare(request);
    if (performance.now() >= this.#awayUntil)
      try {
        return await this.#takeWindow(request);
      } catch (error) {
        if (!away.some((code) => isCairnError(error, code))) throw error;
        this.#awayUntil = performance.now() + refusalMs;
      }
    const result = this.#takeShare(request);
    return { ...result, retryAfterMs: Math.min(result.retryAfterMs, refusalMs) };
  }

  /** Takes tokens of a window. The lock of its row orders processes. */
  #takeWindow({ key, ...request }: TakeRequest): Promise<TakeResult> {
    const [name, now] = [Buffer.from(key), this.#now()];
    return this.#database.transaction(async (transaction) => {
      const { rows } = await transaction.run<{ readonly used: number; readonly start: number }>({
        name: 'lock-limit-window',
        text: `INSERT INTO limit_windows VALUES ($1, 0, 0, $2)
          ON CONFLICT (key) DO UPDATE SET key = EXCLUDED.key RETURNING used, start`,
        values: [name, now],
      });
      const { result, state } = takeFrom(rows[0], request, now);
      const { used, start } = state as Extract<CounterState, { start: number }>;
      await transaction.run({
        name: 'set-limit-window',
        text: 'UPDATE limit_windows SET used = $2, start = $3, ends_at = $4 WHERE key = $1',
        values: [name, used, start, result.endsAt ?? now],
      });
      return result;
    });
  }

  /** Takes tokens of the share of this process. A request above the share takes all of it, and leaves a debt. */
  #takeShare({ key, rule, give = 0, min, want }: TakeRequest): TakeResult {
    const name = `${rule.kind} ${key}`;
    const share = shareOf(rule, this.#processes.count);
    const [most, whole] = [tokensOf(share), tokensOf(rule)];
    const extra = min > most && min <= whole ? min - most : 0;
    const request = { rule: share, give, min: min - extra, want: Math.max(min - extra, Math.min(want, most)) };
    const { result, state } = takeFrom(this.#counters.get(name), request, this.#now());
    const owed = result.granted > 0 ? extra : 0;
    this.#counters.set(name, withDebt(state, owed));
    return { ...result, granted: result.granted + owed };
  }

  async hold(request: HoldRequest): Promise<HoldResult> {
    await this.#processes.use();
    const name = `${request.key} ${request.holder}`;
    const result = holdShare(request, this.#held.get(name) ?? 0, this.#processes.count);
    if (result.held === 0) this.#held.delete(name);
    else this.#held.set(name, result.held);
    return result;
  }

  close(): Promise<void> {
    return this.#processes.close();
  }
}

/** Share of a limit. A share of less than one token would never grant a request. */
function shareOf(rule: LimitRule, processes: number): LimitRule {
  const part = (tokens: number) => (tokens === 0 ? 0 : Math.min(tokens, Math.max(1, tokens / processes)));
  return rule.kind === 'bucket'
    ? { ...rule, ratePerSecond: rule.ratePerSecond / processes, capacity: part(rule.capacity) }
    : { ...rule, limit: part(rule.limit) };
}

function tokensOf(rule: LimitRule): number {
  return rule.kind === 'bucket' ? rule.capacity : rule.limit;
}

function withDebt(state: CounterState, debt: number): CounterState {
  return 'tokens' in state ? { ...state, tokens: state.tokens - debt } : { ...state, used: state.used + debt };
}

/** Opens the limits of processes that share a database. It belongs to its opener. @throws the errors of `Postgres.migrate` */
export async function openPostgresLimitStore(
  database: Postgres,
  options: PostgresLimitStoreOptions = {},
): Promise<LimitStore> {
  await database.migrate({ component: 'limits', steps });
  return new PostgresLimitStore(database, options);
}
