import type { Account, ApiKey } from './account.ts';
import type { AuditEntry } from './audit.ts';

/**
 * The port to accounts and keys. Changes are durable when they resolve, together with their entry in the audit log, and
 * seen by every process that reads next: an implementation must not cache.
 */
export interface AccountStore {
  /** @throws ACCOUNT_EXISTS when another account has the name */
  insertAccount(account: Account, entry: AuditEntry): Promise<void>;
  account(id: string): Promise<Account | undefined>;
  accountByName(name: string): Promise<Account | undefined>;
  /** In order of their ids. */
  accounts(): AsyncIterable<Account>;
  /** Replaces an account by what `change` makes of it, atomically. @throws ACCOUNT_NOT_FOUND */
  updateAccount(id: string, change: (account: Account) => Account, entry: AuditEntry): Promise<Account>;
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
