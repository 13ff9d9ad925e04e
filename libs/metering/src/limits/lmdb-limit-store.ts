import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, Environment } from '@cairn/embedded-store';
import type { HoldRequest, HoldResult, LimitRule, LimitStore, TakeRequest, TakeResult } from './limit-store.ts';

interface BucketState {
  readonly tokens: number;
  readonly at: number;
}

interface WindowState {
  readonly used: number;
  readonly start: number;
}

interface PermitState {
  readonly held: number;
  readonly until: number;
}

class LmdbLimitStore implements LimitStore {
  readonly #environment: Environment;
  readonly #counters: Database;
  readonly #permits: Database;
  readonly #now: () => number;

  constructor(environment: Environment, now: () => number) {
    this.#environment = environment;
    this.#counters = environment.database('counters');
    // The database keeps its earlier name, so that running processes of the last version share it.
    this.#permits = environment.database('slots');
    this.#now = now;
  }

  async take(requests: readonly TakeRequest[]): Promise<TakeResult[]> {
    return await this.#environment.transaction(() => requests.map((request) => this.#take(request)));
  }

  #take({ key, rule, give = 0, min, want }: TakeRequest): TakeResult {
    const now = this.#now();
    const name = Buffer.from(`${rule.kind}\0${key}`);
    const { available, keep, endsAt } = this.#open(name, rule, give, now);
    const isAvailable = min > 0 && available >= min;
    const granted = isAvailable ? Math.max(min, Math.min(want, Math.floor(available / 4))) : 0;
    const left = available - granted;
    this.#counters.put(name, encode(keep(left)));
    const missing = min - available;
    const waitMs = rule.kind === 'bucket' ? (missing / rule.ratePerSecond) * 1000 : (endsAt ?? now) - now;
    return {
      granted,
      remaining: Math.max(0, Math.floor(left)),
      retryAfterMs: granted > 0 || min === 0 ? 0 : Math.ceil(waitMs),
      ...(endsAt !== undefined && { endsAt }),
    };
  }

  /** Returns the tokens available in a counter, and a function that makes the record of the tokens left. */
  #open(name: Buffer, rule: LimitRule, give: number, now: number) {
    const stored = this.#counters.get(name);
    if (rule.kind === 'bucket') {
      const { ratePerSecond, capacity } = rule;
      const { tokens, at } = stored ? decode<BucketState>(stored) : { tokens: capacity, at: now };
      // A clock that was set back adds no tokens, and refilling continues from the earlier time.
      const grown = tokens + (Math.max(0, now - Math.min(at, now)) * ratePerSecond) / 1000;
      return {
        available: Math.min(capacity, grown + give),
        keep: (left: number): BucketState => ({ tokens: left, at: now }),
        endsAt: undefined,
      };
    }
    const { limit, seconds } = rule;
    const windowMs = seconds * 1000;
    const present = now - (now % windowMs);
    const before = stored ? decode<WindowState>(stored) : undefined;
    // A clock that was set back does not refill a window. A window more than one length ahead is replaced.
    const isBehind = before !== undefined && before.start > present;
    const start = isBehind && before.start - present <= windowMs ? before.start : present;
    const used = isBehind || before?.start === start ? before.used : 0;
    return {
      available: Math.min(limit, limit - used + give),
      keep: (left: number): WindowState => ({ used: limit - left, start }),
      endsAt: start + windowMs,
    };
  }

  async hold({ key, holder, min, want, limit, ttlMs }: HoldRequest): Promise<HoldResult> {
    return await this.#environment.transaction(() => {
      const now = this.#now();
      const prefix = Buffer.from(`${key}\0`);
      const own = Buffer.from(`${key}\0${holder}`);
      let others = 0;
      let before = 0;
      for (const entry of [...this.#permits.range({ prefix })]) {
        const { held, until } = decode<PermitState>(entry.value);
        // Drops expired permits, and those written while the clock was ahead.
        if (until <= now || until > now + 2 * ttlMs) this.#permits.remove(entry.key);
        else if (Buffer.compare(entry.key, own) === 0) before = held;
        else others += held;
      }
      const room = Math.max(0, limit - others);
      const share = Math.max(min, Math.min(want, before + Math.ceil((room - before) / 4)));
      const held = room >= min ? Math.min(share, room) : Math.min(before, room);
      if (held === 0) this.#permits.remove(own);
      else this.#permits.put(own, encode({ held, until: now + ttlMs } satisfies PermitState));
      return { held, others };
    });
  }

  close(): Promise<void> {
    return this.#environment.close();
  }
}

function encode(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function decode<T>(bytes: Uint8Array): T {
  return JSON.parse(Buffer.from(bytes).toString()) as T;
}

export interface LmdbLimitStoreOptions {
  readonly directory: string;
  /** Current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/**
 * Opens shared counters in an LMDB environment of their own, without fsync. A killed process loses no commit. After a boot
 * of the machine the counters start anew, since a power cut can leave the files in any state.
 * @throws STORE_UNAVAILABLE, STORE_VERSION_UNSUPPORTED
 */
export async function openLmdbLimitStore({ directory, now = Date.now }: LmdbLimitStoreOptions): Promise<LimitStore> {
  const format = { name: 'cairn-limits', version: 1 };
  const boot = bootName();
  const environment = await Environment.open({ directory: join(directory, boot), format, isSynced: false });
  for (const entry of readdirSync(directory)) {
    if (entry.startsWith('boot-') && entry !== boot) rmSync(join(directory, entry), { recursive: true, force: true });
  }
  return new LmdbLimitStore(environment, now);
}

/** Returns a name for the current boot of the machine. Systems without a boot id share one name for all boots. */
function bootName(): string {
  try {
    return `boot-${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`;
  } catch {
    return 'boot-unknown';
  }
}
