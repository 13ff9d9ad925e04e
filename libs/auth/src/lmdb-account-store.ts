// Hot path: `key` and `account` are read for each request. Bench: auth.bench.ts.
import { randomBytes } from 'node:crypto';
import { type Database, Environment } from '@cairn/embedded-store';
import type { Account, ApiKey } from './account.ts';
import type { AccountStore, AccountUpdate } from './account-store.ts';
import { accountsFormat } from './accounts-format.ts';
import { type AuditEntry, type EntryOf, entryFor } from './audit.ts';
import { accountExists, accountNotFound, keyExists, keyNotFound } from './errors.ts';
import { LmdbMemberStore } from './members/lmdb-member-store.ts';
import type { Member } from './members/member.ts';

class LmdbAccountStore implements AccountStore {
  readonly members: LmdbMemberStore;
  readonly #environment: Environment;
  readonly #accounts: Database;
  readonly #names: Database;
  readonly #keys: Database;
  readonly #keysByAccount: Database;
  readonly #audit: Database;
  readonly #secrets: Database;
  readonly #accountCache = new ParsedRecords<Account>();
  readonly #keyCache = new ParsedRecords<ApiKey>();

  constructor(environment: Environment) {
    this.#environment = environment;
    this.#accounts = environment.database('accounts');
    this.#names = environment.database('names');
    this.#keys = environment.database('keys');
    this.#keysByAccount = environment.database('keys-by-account');
    this.#audit = environment.database('audit');
    this.#secrets = environment.database('secrets');
    this.members = new LmdbMemberStore(environment, (entry) => this.#log(entry));
  }

  async serviceSecret(): Promise<Uint8Array> {
    const name = Buffer.from('service');
    const known = this.#secrets.get(name);
    if (known) return known;
    return await this.#environment.transaction(() => {
      const secret = this.#secrets.get(name) ?? randomBytes(32);
      this.#secrets.put(name, secret);
      return secret;
    });
  }

  async changeSharedText(name: string, change: (text: string | undefined) => string): Promise<string> {
    const key = Buffer.from(`text ${name}`);
    return await this.#environment.transaction(() => {
      const before = this.#secrets.get(key);
      const known = before && Buffer.from(before).toString();
      const text = change(known);
      if (text !== known) this.#secrets.put(key, Buffer.from(text));
      return text;
    });
  }

  async insertAccount(account: Account, entry: AuditEntry, owner?: Member): Promise<void> {
    await this.#environment.transaction(() => {
      if (this.#names.has(Buffer.from(account.name))) throw accountExists(account.name);
      this.#accounts.put(Buffer.from(account.id), encode(account));
      this.#names.put(Buffer.from(account.name), Buffer.from(account.id));
      this.#log(entry);
      if (owner)
        this.members.insertInTransaction(owner, { ...entry, action: 'member.create', change: { email: owner.email } });
    });
  }

  async account(id: string): Promise<Account | undefined> {
    this.#environment.refresh();
    return this.#accountCache.read(this.#accounts, id);
  }

  async accountByName(name: string): Promise<Account | undefined> {
    this.#environment.refresh();
    const id = lookUp(this.#names, name);
    return id && read<Account>(this.#accounts, Buffer.from(id).toString());
  }

  async *accounts(): AsyncGenerator<Account> {
    for (const { value } of [...this.#accounts.range()]) yield decode<Account>(value);
  }

  async updateAccount(id: string, change: (account: Account) => AccountUpdate): Promise<Account> {
    return await this.#environment.transaction(() => {
      const before = read<Account>(this.#accounts, id);
      if (before === undefined) throw accountNotFound(id);
      const { account, entries } = change(before);
      if (account !== before) this.#accounts.put(Buffer.from(id), encode(account));
      for (const entry of entries) this.#log(entry);
      return account;
    });
  }

  async insertKey(key: ApiKey, entry: AuditEntry): Promise<void> {
    await this.#environment.transaction(() => {
      if (this.#keys.has(Buffer.from(key.id))) throw keyExists();
      this.#keys.put(Buffer.from(key.id), encode(key));
      this.#keysByAccount.put(Buffer.from(`${key.accountId}\0${key.id}`), Buffer.from(key.id));
      this.#log(entry);
    });
  }

  // `refresh` drops the read snapshot, so that a revocation by another process applies to the next request.
  async key(id: string): Promise<ApiKey | undefined> {
    this.#environment.refresh();
    return this.#keyCache.read(this.#keys, id);
  }

  async *keys(accountId: string): AsyncGenerator<ApiKey> {
    const ids = [...this.#keysByAccount.range({ prefix: Buffer.from(`${accountId}\0`) })];
    for (const { value } of ids) {
      const key = read<ApiKey>(this.#keys, Buffer.from(value).toString());
      if (key) yield key;
    }
  }

  async updateKey(id: string, change: (key: ApiKey) => ApiKey, entry: AuditEntry | EntryOf<ApiKey>): Promise<ApiKey> {
    return await this.#environment.transaction(() => {
      const before = read<ApiKey>(this.#keys, id);
      if (before === undefined) throw keyNotFound();
      const after = change(before);
      this.#keys.put(Buffer.from(id), encode(after));
      this.#log({ ...entryFor(entry, before), accountId: after.accountId });
      return after;
    });
  }

  async *auditEntries(accountId?: string): AsyncGenerator<AuditEntry> {
    for (const { value } of this.#audit.range({ reverse: true })) {
      const entry = decode<AuditEntry>(value);
      if (accountId === undefined || entry.accountId === accountId) yield entry;
    }
  }

  /** Numbers the entries, so that their order is that of the transactions and does not depend on clocks. */
  #log(entry: AuditEntry): void {
    const last = this.#audit.last({});
    const number = last === undefined ? 0n : Buffer.from(last.key).readBigUInt64BE() + 1n;
    const key = Buffer.alloc(8);
    key.writeBigUInt64BE(number);
    this.#audit.put(key, encode(entry));
  }

  close(): Promise<void> {
    return this.#environment.close();
  }
}

/** Looks a key up. Texts that cannot be LMDB keys (empty, or longer than 512 bytes) have no record. */
function lookUp(database: Database, text: string): Uint8Array | undefined {
  const key = Buffer.from(text);
  return key.length === 0 || key.length > 512 ? undefined : database.get(key);
}

function read<T>(database: Database, id: string): T | undefined {
  const found = lookUp(database, id);
  return found && decode<T>(found);
}

/** Cache of parsed records. The bytes are read each time; JSON is parsed only if they have changed. */
class ParsedRecords<T> {
  readonly #known = new Map<string, { readonly bytes: Uint8Array; readonly value: T }>();

  read(database: Database, id: string): T | undefined {
    const bytes = lookUp(database, id);
    if (bytes === undefined) return undefined;
    const known = this.#known.get(id);
    if (known !== undefined && Buffer.compare(known.bytes, bytes) === 0) return known.value;
    const value = decode<T>(bytes);
    if (this.#known.size >= recordsMax) this.#known.clear();
    this.#known.set(id, { bytes, value });
    return value;
  }
}

/** Bound of the cache, in records of about 1 KiB each. */
const recordsMax = 10_000;

function encode(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}

function decode<T>(bytes: Uint8Array): T {
  return JSON.parse(Buffer.from(bytes).toString()) as T;
}

/** Opens the accounts and keys of an LMDB environment. @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED */
export async function openLmdbAccountStore({ directory }: { readonly directory: string }): Promise<AccountStore> {
  return new LmdbAccountStore(await Environment.open({ directory, format: accountsFormat }));
}
