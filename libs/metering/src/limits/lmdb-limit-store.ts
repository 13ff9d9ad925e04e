import { readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { type Database, Environment } from '@cairn/embedded-store';
import { type CounterState, takeFrom } from './counter.ts';
import type { HoldRequest, HoldResult, LimitStore, TakeRequest, TakeResult } from './limit-store.ts';

interface PermitState {
  readonly held: number;
  readonly until: number;
}

/**
 * Limit store in LMDB. Its transactions run in one turn of the event loop. Otherwise a process that is busy, such as with garbage
 * collection, would hold the store meanwhile, and first requests of all other processes would wait. The bench is
 * tools/bench/peers.mjs, row `unpin`.
 */
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
    return this.#environment.transactionSync(() => requests.map((request) => this.#take(request)));
  }

  #take(request: TakeRequest): TakeResult {
    const name = Buffer.from(`${request.rule.kind}\0${request.key}`);
    const stored = this.#counters.get(name);
    const { result, state } = takeFrom(stored && decode<CounterState>(stored), request, this.#now());
    this.#counters.put(name, encode(state));
    return result;
  }

  async hold({ key, holder, min, want, limit, ttlMs }: HoldRequest): Promise<HoldResult> {
    return this.#environment.transactionSync(() => {
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
