import type { Account, ApiKey } from './account.ts';
import type { AccountFeed, FeedKind } from './account-feed.ts';
import type { AccountStore, AccountUpdate } from './account-store.ts';
import type { AuditEntry, EntryOf } from './audit.ts';
import type { Member } from './members/member.ts';
import type { MemberStore } from './members/member-store.ts';

export interface KnownAccountsOptions {
  readonly store: AccountStore;
  readonly feed: AccountFeed;
  /** Time for which known keys are accepted while changes cannot be read, in milliseconds. Default: 5 minutes */
  readonly outageMs?: number;
}

/**
 * Age in milliseconds of the last confirmation up to which records in memory count as current. With the 100 ms of
 * `RecentPrincipals` a revocation takes effect in less than a second, also if its notice is lost.
 */
const currentMs = 750;
/** Most accounts, and most keys, in memory. */
const recordsMax = 50_000;

/**
 * Account store whose accounts and keys stay in memory, so that a known key costs no round trip. A feed reports the changes of
 * other processes. While changes cannot be read, known records are returned for a bounded time; others fail without waiting.
 */
class KnownAccounts implements AccountStore {
  readonly #store: AccountStore;
  readonly #feed: AccountFeed;
  readonly #outageMs: number;
  readonly #accounts: Records<Account>;
  readonly #keys: Records<ApiKey>;
  #confirmedAt = Number.NEGATIVE_INFINITY;
  /** Present while changes cannot be read. */
  #failure: { readonly error: unknown } | undefined;
  /** Reads that end when changes cannot be read: a server that hangs would hold them up. */
  readonly #waiting = new Set<(error: unknown) => void>();
  #secret: Uint8Array | undefined;

  constructor({ store, feed, outageMs = 5 * 60_000 }: KnownAccountsOptions) {
    this.#store = store;
    this.#feed = feed;
    this.#outageMs = outageMs;
    this.#accounts = new Records((id) => store.account(id));
    this.#keys = new Records((id) => store.key(id));
  }

  start(): Promise<void> {
    return this.#feed.start({
      onChange: (kind, id) => this.#forget(kind, id),
      onGap: () => {
        this.#accounts.clear();
        this.#keys.clear();
      },
      onConfirmed: (at) => {
        this.#confirmedAt = Math.max(this.#confirmedAt, at);
        this.#failure = undefined;
      },
      onFailure: (error) => {
        this.#failure = { error };
        for (const end of this.#waiting) end(error);
      },
    });
  }

  get members(): MemberStore {
    return this.#store.members;
  }

  requireCurrent(): void {
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  account(id: string): Promise<Account | undefined> {
    return this.#read(this.#accounts, id);
  }

  key(id: string): Promise<ApiKey | undefined> {
    return this.#read(this.#keys, id);
  }

  async #read<T>(records: Records<T>, id: string): Promise<T | undefined> {
    const known = records.get(id);
    const ageMs = performance.now() - this.#confirmedAt;
    if (known !== undefined && ageMs <= currentMs) return known;
    if (this.#failure === undefined) {
      try {
        return await this.#untilFailure(records.load(id));
      } catch (error) {
        // A change that was reported meanwhile has removed the record.
        if (this.#failure === undefined || records.get(id) === undefined) throw error;
      }
    }
    if (this.#failure !== undefined && (known === undefined || ageMs > this.#outageMs)) throw this.#failure.error;
    return records.get(id) ?? known;
  }

  #untilFailure<T>(read: Promise<T>): Promise<T> {
    return new Promise((resolve, reject) => {
      this.#waiting.add(reject);
      read.then(resolve, reject).finally(() => this.#waiting.delete(reject));
    });
  }

  async serviceSecret(): Promise<Uint8Array> {
    this.#secret ??= await this.#store.serviceSecret();
    return this.#secret;
  }

  changeSharedText: AccountStore['changeSharedText'] = (...options) => this.#store.changeSharedText(...options);

  insertAccount(account: Account, entry: AuditEntry, owner?: Member): Promise<void> {
    return this.#changing('account', account.id, () => this.#store.insertAccount(account, entry, owner));
  }

  updateAccount(id: string, change: (account: Account) => AccountUpdate): Promise<Account> {
    return this.#changing('account', id, () => this.#store.updateAccount(id, change));
  }

  insertKey(key: ApiKey, entry: AuditEntry): Promise<void> {
    return this.#changing('key', key.id, () => this.#store.insertKey(key, entry));
  }

  updateKey(id: string, change: (key: ApiKey) => ApiKey, entry: AuditEntry | EntryOf<ApiKey>): Promise<ApiKey> {
    return this.#changing('key', id, () => this.#store.updateKey(id, change, entry));
  }

  accountByName(name: string): Promise<Account | undefined> {
    return this.#store.accountByName(name);
  }

  accounts(): AsyncIterable<Account> {
    return this.#store.accounts();
  }

  keys(accountId: string): AsyncIterable<ApiKey> {
    return this.#store.keys(accountId);
  }

  auditEntries(accountId?: string): AsyncIterable<AuditEntry> {
    return this.#store.auditEntries(accountId);
  }

  async close(): Promise<void> {
    await this.#feed.close();
    await this.#store.close();
  }

  /** Makes a change of this process visible to it when the change is made, or may have been made. */
  async #changing<T>(kind: FeedKind, id: string, change: () => Promise<T>): Promise<T> {
    try {
      return await change();
    } finally {
      this.#forget(kind, id);
    }
  }

  #forget(kind: FeedKind, id: string): void {
    (kind === 'account' ? this.#accounts : this.#keys).forget(id);
  }
}

/** Records in memory. One that changes while it is read is not kept. */
class Records<T> {
  readonly #read: (id: string) => Promise<T | undefined>;
  readonly #known = new Map<string, T>();
  readonly #loading = new Map<string, Promise<T | undefined>>();

  constructor(read: (id: string) => Promise<T | undefined>) {
    this.#read = read;
  }

  get(id: string): T | undefined {
    return this.#known.get(id);
  }

  /** Reads a record. Concurrent calls share the read. */
  load(id: string): Promise<T | undefined> {
    const loading = this.#loading.get(id);
    if (loading !== undefined) return loading;
    const read: Promise<T | undefined> = this.#read(id).then(
      (record) => {
        if (this.#loading.get(id) === read) this.#keep(id, record);
        return record;
      },
      (error: unknown) => {
        if (this.#loading.get(id) === read) this.#loading.delete(id);
        throw error;
      },
    );
    this.#loading.set(id, read);
    return read;
  }

  #keep(id: string, record: T | undefined): void {
    this.#loading.delete(id);
    this.#known.delete(id);
    // A key that does not exist is not kept: a client could fill the memory with such keys.
    if (record === undefined) return;
    this.#known.set(id, record);
    if (this.#known.size <= recordsMax) return;
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest);
      return;
    }
  }

  forget(id: string): void {
    this.#known.delete(id);
    // A read that runs may have the earlier record.
    this.#loading.delete(id);
  }

  clear(): void {
    this.#known.clear();
    this.#loading.clear();
  }
}

/** Keeps the accounts and keys of a store in memory. Closing the result closes feed and store. */
export async function openKnownAccounts(options: KnownAccountsOptions): Promise<AccountStore> {
  const accounts = new KnownAccounts(options);
  await accounts.start();
  return accounts;
}
