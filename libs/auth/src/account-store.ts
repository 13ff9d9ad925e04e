import type { Account, ApiKey } from './account.ts';
import type { AuditEntry, EntryOf } from './audit.ts';
import type { Member } from './members/member.ts';
import type { MemberStore } from './members/member-store.ts';

/** Changed account with the audit entries that describe the change. */
export interface AccountUpdate {
  readonly account: Account;
  readonly entries: readonly AuditEntry[];
}

/**
 * Port of accounts, keys and the audit log. A change and its audit entries are durable when the promise resolves. The next
 * read of every process sees them, so an implementation must not cache; `openKnownAccounts` wraps one that is slow. A `change` function may be called again after a
 * conflict of transactions, so it has no side effects.
 */
export interface AccountStore {
  /** Members and their sessions. */
  readonly members: MemberStore;
  /** Returns 32 random bytes that all processes share, created on the first call. Stored unencrypted. */
  serviceSecret(): Promise<Uint8Array>;
  /**
   * Changes a text that all processes share: `change` gets the stored text, or `undefined` before the first change. Returns
   * the stored result. Stored unencrypted: secrets are sealed first.
   */
  changeSharedText(name: string, change: (text: string | undefined) => string): Promise<string>;
  /** Inserts an account and, if given, its first member in one transaction. @throws ACCOUNT_EXISTS, MEMBER_EXISTS */
  insertAccount(account: Account, entry: AuditEntry, owner?: Member): Promise<void>;
  account(id: string): Promise<Account | undefined>;
  accountByName(name: string): Promise<Account | undefined>;
  /** Yields the accounts in byte order of their ids. */
  accounts(): AsyncIterable<Account>;
  /**
   * Replaces an account by the result of `change` and logs its entries, in one transaction.
   * @throws ACCOUNT_NOT_FOUND, and what `change` throws: nothing is changed then
   */
  updateAccount(id: string, change: (account: Account) => AccountUpdate): Promise<Account>;
  /** @throws KEY_EXISTS */
  insertKey(key: ApiKey, entry: AuditEntry): Promise<void>;
  key(id: string): Promise<ApiKey | undefined>;
  /** Yields the keys of an account in byte order of their ids, revoked ones included. */
  keys(accountId: string): AsyncIterable<ApiKey>;
  /**
   * Replaces a key by the result of `change` and logs the entry for the account of the key, in one transaction.
   * @throws KEY_NOT_FOUND, and what `change` throws: nothing is changed then
   */
  updateKey(id: string, change: (key: ApiKey) => ApiKey, entry: AuditEntry | EntryOf<ApiKey>): Promise<ApiKey>;
  /** Yields audit entries, the newest first: of one account, or of all. */
  auditEntries(accountId?: string): AsyncIterable<AuditEntry>;
  /**
   * Present in a store that returns known records while changes cannot be read. Requires that changes can be read: called
   * before a write. @throws the error of the last read
   */
  requireCurrent?(): void;
  close(): Promise<void>;
}
