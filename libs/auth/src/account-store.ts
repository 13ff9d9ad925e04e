import type { Account, ApiKey } from './account.ts';

/**
 * The port to accounts and keys. Changes are durable when they resolve, and seen by every process that reads next:
 * an implementation must not cache.
 */
export interface AccountStore {
  /** @throws ACCOUNT_EXISTS when another account has the name */
  insertAccount(account: Account): Promise<void>;
  account(id: string): Promise<Account | undefined>;
  accountByName(name: string): Promise<Account | undefined>;
  /** In order of their ids. */
  accounts(): AsyncIterable<Account>;
  /** Replaces an account by what `change` makes of it, atomically. @throws ACCOUNT_NOT_FOUND */
  updateAccount(id: string, change: (account: Account) => Account): Promise<Account>;
  /** @throws KEY_EXISTS */
  insertKey(key: ApiKey): Promise<void>;
  key(id: string): Promise<ApiKey | undefined>;
  /** In order of their ids. */
  keys(accountId: string): AsyncIterable<ApiKey>;
  /** @throws KEY_NOT_FOUND, and what `change` throws */
  updateKey(id: string, change: (key: ApiKey) => ApiKey): Promise<ApiKey>;
  close(): Promise<void>;
}
