import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, Environment } from '@cairn/embedded-store';
import type { HoldRequest, LimitRule, LimitStore, Taken, TakeRequest } from './limit-store.ts';

interface BucketState {
  readonly tokens: number;
  readonly at: number;
}

interface WindowState {
  readonly used: number;
  readonly start: number;
}

interface SlotState {
  readonly held: number;
  readonly until: number;
}

class LmdbLimitStore implements LimitStore {
  readonly #environment: Environment;
  readonly #counters: Database;
  readonly #slots: Database;
  readonly #now: () => number;

  constructor(environment: Environment, now: () => number) {
    this.#environment = environment;
    this.#counters = environment.database('counters');
    this.#slots = environment.database('slots');
    this.#now = now;
  }

  async take(requests: readonly TakeRequest[]): Promise<Taken[]> {
    return await this.#environment.transaction(() => requests.map((request) => this.#take(request)));
  }

  #take({ key, rule, give = 0, min, want }: TakeRequest): Taken {
    const now = this.#now();
    const name = Buffer.from(`${rule.kind}\0${key}`);
    const { available, keep, endsAt } = this.#open(name, rule, give, now);
    const isThere = min > 0 && available >= min;
    const granted = isThere ? Math.max(min, Math.min(want, Math.floor(available / 4))) : 0;
    const left = available - granted;
    this.#counters.put(name, encode(keep(left)));
    const missing = min - available;
    const waits = rule.kind === 'bucket' ? (missing / rule.ratePerSecond) * 1000 : (endsAt ?? now) - now;
    return {
      granted,
      remaining: Math.max(0, Math.floor(left)),
      retryAfterMs: granted > 0 || min === 0 ? 0 : Math.ceil(waits),
      ...(endsAt !== undefined && { endsAt }),
    };
  }

  /** What is in a counter now, and how to keep what will be left. */
  #open(name: Buffer, rule: LimitRule, give: number, now: number) {
    const stored = this.#counters.get(name);
    if (rule.kind === 'bucket') {
      const { ratePerSecond, capacity } = rule;
      const { tokens, at } = stored ? decode<BucketState>(stored) : { tokens: capacity, at: now };
      // The clock may have been set back; no tokens come of that, and none are lost for ever.
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
    // A clock that is set back does not make a window full again. One that was far ahead must not keep it for so long.
    const isBehind = before !== undefined && before.start > present;
    const start = isBehind && before.start - present <= windowMs ? before.start : present;
    const used = isBehind || before?.start === start ? before.used : 0;
    return {
      available: Math.min(limit, limit - used + give),
      keep: (left: number): WindowState => ({ used: limit - left, start }),
      endsAt: start + windowMs,
    };
  }

  async hold({ key, holder, min, want, limit, ttlMs }: HoldRequest): Promise<{ held: number; others: number }> {
    return await this.#environment.transaction(() => {
      const now = this.#now();
      const prefix = Buffer.from(`${key}\0`);
      const own = Buffer.from(`${key}\0${holder}`);
      let others = 0;
      let before = 0;
      for (const entry of [...this.#slots.range({ prefix })]) {
        const { held, until } = decode<SlotState>(entry.value);
        // Processes that were killed hold nothing for longer than this, nor those that wrote under a clock that was ahead.
        if (until <= now || until > now + 2 * ttlMs) this.#slots.remove(entry.key);
        else if (Buffer.compare(entry.key, own) === 0) before = held;
        else others += held;
      }
      const room = Math.max(0, limit - others);
      const share = Math.max(min, Math.min(want, before + Math.ceil((room - before) / 4)));
      const held = room >= min ? Math.min(share, room) : Math.min(before, room);
      if (held === 0) this.#slots.remove(own);
      else this.#slots.put(own, encode({ held, until: now + ttlMs } satisfies SlotState));
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
  /** Milliseconds since 1970. Default: the clock. */
  readonly now?: () => number;
}

/**
 * Opens shared counters in an LMDB environment of their own, which is not synced to the disk: a killed process sets nothing
 * back. After a start of the machine they begin anew, since a power cut may have left anything in the files.
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

/** Where the system does not tell, one name stands for all. */
function bootName(): string {
  try {
    return `boot-${readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()}`;
  } catch {
    return 'boot-unknown';
  }
}
