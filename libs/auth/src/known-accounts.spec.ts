import type { Postgres } from '@cairn/postgres';
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { ApiKey } from './account.ts';
import type { AccountStore } from './account-store.ts';
import { Auth } from './auth.ts';
import { openKnownAccounts } from './known-accounts.ts';
import { postgresAccountFeed } from './postgres/index.ts';
import { RecentPrincipals } from './recent-principals.ts';
import { account, apiKey } from './testing/records.ts';

// The clock of these tests moves only by their own steps.
beforeEach(() => {
  jest.useFakeTimers();
});
afterEach(() => {
  jest.useRealTimers();
});

/** A key that another process revokes, read through polls that take `pollMs`. No notice arrives. */
class RevokedElsewhere {
  polls = 0;
  reads = 0;
  /** Whether the server answers. */
  isAway = false;
  readonly #pollMs: number;
  readonly #changes: string[] = [];
  #key: ApiKey = apiKey('k', 'a');

  constructor(pollMs: number) {
    this.#pollMs = pollMs;
  }

  revoke(): void {
    this.#key = { ...this.#key, revokedAt: 1 };
    this.#changes.push('k');
  }

  /** Opens the accounts as a service does. */
  async open(): Promise<Auth> {
    const store = {
      account: async (id: string) => account(id),
      key: async () => {
        this.reads++;
        return this.#key;
      },
      close: async () => {},
    } as unknown as AccountStore;
    const database = {
      listen: async () => async () => {},
      read: () => this.#poll(),
      close: async () => {},
    } as unknown as Postgres;
    const opening = openKnownAccounts({ store, feed: postgresAccountFeed(database) });
    await jest.advanceTimersByTimeAsync(this.#pollMs);
    return new Auth({ store: await opening, now: () => 0 });
  }

  /** A poll reports the changes before its start, which is the worst case. */
  async #poll() {
    this.polls++;
    if (this.isAway) throw new Error('no answer');
    const changes = this.#changes.splice(0).map((id) => ['key', id]);
    await new Promise((resolve) => setTimeout(resolve, this.#pollMs));
    return { rows: [{ next: String(this.polls), server: 'one', changes }], count: 1 };
  }
}

/** Milliseconds after a revocation until a process that asks every 10 ms refuses the key. */
async function refusedAfter(pollMs: number, revokedAt: number): Promise<number> {
  const elsewhere = new RevokedElsewhere(pollMs);
  const auth = await elsewhere.open();
  const recent = new RecentPrincipals();
  const isAccepted = async () => {
    if (recent.get('k') !== undefined) return true;
    try {
      recent.add('k', await auth.identify('k'));
      return true;
    } catch {
      return false;
    }
  };
  for (let at = 0; at < revokedAt; at += 10) {
    expect(await isAccepted()).toBe(true);
    await jest.advanceTimersByTimeAsync(10);
  }
  elsewhere.revoke();
  let after = 0;
  for (; after < 2000 && (await isAccepted()); after += 10) await jest.advanceTimersByTimeAsync(10);
  await auth.close();
  return after;
}

test.each([0, 50, 250, 500, 740, 990])(
  'a revocation whose notice is lost applies within a second, with polls that take %i ms',
  async (pollMs) => {
    for (let revokedAt = 0; revokedAt <= 2 * (pollMs + 250); revokedAt += 70)
      expect({ revokedAt, isWithinSecond: (await refusedAfter(pollMs, revokedAt)) < 1000 }).toEqual({
        revokedAt,
        isWithinSecond: true,
      });
  },
);

test('a process polls four times a second, and reads a known key once', async () => {
  const elsewhere = new RevokedElsewhere(0);
  const auth = await elsewhere.open();
  const before = elsewhere.polls;
  for (let at = 0; at < 10_000; at += 10) {
    await auth.identify('k');
    await jest.advanceTimersByTimeAsync(10);
  }
  // A poll takes a millisecond of this clock.
  expect(elsewhere.polls - before).toBe(39);
  expect(elsewhere.reads).toBe(1);
  await auth.close();
});

test('known keys are accepted for five minutes while the database does not answer', async () => {
  const elsewhere = new RevokedElsewhere(0);
  const auth = await elsewhere.open();
  await auth.identify('k');
  elsewhere.isAway = true;
  await jest.advanceTimersByTimeAsync(299_000);
  expect((await auth.identify('k')).key.id).toBe('k');
  expect(() => auth.requireCurrent()).toThrow('no answer');
  await jest.advanceTimersByTimeAsync(2000);
  await expect(auth.identify('k')).rejects.toThrow('no answer');
  elsewhere.isAway = false;
  await jest.advanceTimersByTimeAsync(300);
  expect((await auth.identify('k')).key.id).toBe('k');
  await auth.close();
});
