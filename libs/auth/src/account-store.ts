import type { Account, ApiKey } from './account.ts';
import type { AuditEntry } from './audit.ts';
import type { Member } from './members/member.ts';
import type { MemberStore } from './members/member-store.ts';

/** An account after a change, with the entries of the audit log that describe it. */
export interface AccountUpdate {
  readonly account: Account;
  readonly entries: readonly AuditEntry[];
}

/**
 * The port to accounts and keys. Changes are durable when they resolve, together with their entry in the audit log, and
 * seen by every process that reads next: an implementation must not cache.
 */
export interface AccountStore {
  /** People who sign in. */
  readonly members: MemberStore;
  /** 32 random bytes that all processes share, made when they are first asked for. Kept clear: for homes without a key. */
  serviceSecret(): Promise<Uint8Array>;
  /** With its first member where there is one, both or neither. @throws ACCOUNT_EXISTS, MEMBER_EXISTS */
  insertAccount(account: Account, entry: AuditEntry, owner?: Member): Promise<void>;
  account(id: string): Promise<Account | undefined>;
  accountByName(name: string): Promise<Account | undefined>;
  /** In order of their ids. */
  accounts(): AsyncIterable<Account>;
  /**
   * Replaces an account by the result of `change` and logs its entries, in one transaction.
   * @throws ACCOUNT_NOT_FOUND, and what `change` throws
   */
  updateAccount(id: string, change: (account: Account) => AccountUpdate): Promise<Account>;
  /** @throws KEY_EXISTS */
  insertKey(key: ApiKey, entry: AuditEntry): Promise<void>;
  key(id: string): Promise<ApiKey | undefined>;
  /** In order of their ids. */
  keys(accountId: string): AsyncIterable<ApiKey>;
  /** @throws KEY_NOT_FOUND, and what `change` throws */
  updateKey(id: string, change: (key: ApiKey) => ApiKey, entry: AuditEntry): Promise<ApiKey>;
  /** What was changed, the newest first; of one account, where it is named. */
  auditEntries(accountId?: string): AsyncIterable<AuditEntry>;
  close(): Promise<void>;
}
