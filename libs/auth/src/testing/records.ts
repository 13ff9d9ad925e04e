import type { Account, ApiKey } from '../account.ts';
import type { AccountStore } from '../account-store.ts';
import type { AuditEntry } from '../audit.ts';
import type { Member } from '../members/member.ts';

export const account = (id: string, name = id): Account => ({
  id,
  name,
  email: undefined,
  plan: 'free',
  status: 'active',
  card: undefined,
  createdAt: 1,
});

export const apiKey = (id: string, accountId: string): ApiKey => ({
  id,
  accountId,
  name: 'default',
  createdAt: 1,
  secrets: [{ salt: '00', hash: '11', expiresAt: undefined }],
  revokedAt: undefined,
});

export const member = (id: string, more: Partial<Member> = {}): Member => ({
  id,
  email: `${id}@example.org`,
  accountId: 'a',
  role: 'owner',
  passwordHash: '$argon2id$planted',
  createdAt: 1,
  ...more,
});

export const entry = (action = 'planted', accountId = 'a'): AuditEntry => ({
  at: 1,
  actor: { who: 'test', from: 'here' },
  action,
  accountId,
});

export async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const list: T[] = [];
  for await (const item of items) list.push(item);
  return list;
}

/** Actions of the audit log, the newest first. */
export async function actionsOf(store: AccountStore, accountId?: string): Promise<string[]> {
  return (await collect(store.auditEntries(accountId))).map(({ action }) => action);
}

/** Opens handles on one store and closes all of them. */
export class StoreHandles {
  readonly #open: () => Promise<AccountStore>;
  readonly #handles: AccountStore[] = [];

  constructor(open: () => Promise<AccountStore>) {
    this.#open = open;
  }

  async open(): Promise<AccountStore> {
    const handle = await this.#open();
    this.#handles.push(handle);
    return handle;
  }

  async closeAll(): Promise<void> {
    for (const handle of this.#handles.splice(0)) await handle.close();
  }
}
