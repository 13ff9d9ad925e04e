import { Environment, inBatches } from '@cairn/embedded-store';
import type { AccountStore } from './account-store.ts';
import { accountsFormat } from './accounts-format.ts';
import type { AuditEntry } from './audit.ts';

/** Records of one transaction of a copy. */
export const batchRecords = 500;

/** Numbers of copied records. */
export interface CopiedAccounts {
  readonly accounts: number;
  readonly keys: number;
  readonly members: number;
  readonly auditEntries: number;
}

/**
 * Copies accounts, keys, members, the audit log and the service secret of a store into the LMDB environment of a directory. A
 * repeated call after a failure gives the same result. Sessions are not copied: members sign in again. No process may change
 * either store meanwhile.
 * @throws STORE_UNAVAILABLE, STORE_CORRUPT, STORE_VERSION_UNSUPPORTED
 */
export async function copyAccountsToLmdb(
  from: AccountStore,
  { directory }: { readonly directory: string },
): Promise<CopiedAccounts> {
  const environment = await Environment.open({ directory, format: accountsFormat });
  try {
    const secret = await from.serviceSecret();
    await environment.transaction(() => environment.database('secrets').put(Buffer.from('service'), secret));
    const counts = { accounts: 0, keys: 0, members: 0, auditEntries: 0 };
    const [accounts, names] = [environment.database('accounts'), environment.database('names')];
    for await (const batch of inBatches(from.accounts(), batchRecords)) {
      await environment.transaction(() => {
        for (const account of batch) {
          accounts.put(Buffer.from(account.id), encode(account));
          names.put(Buffer.from(account.name), Buffer.from(account.id));
        }
      });
      counts.accounts += batch.length;
      for (const { id } of batch) counts.keys += await copyKeys(from, id, environment);
    }
    const [members, emails] = [environment.database('members'), environment.database('emails')];
    for await (const batch of inBatches(from.members.list(), batchRecords)) {
      await environment.transaction(() => {
        for (const member of batch) {
          members.put(Buffer.from(member.id), encode(member));
          emails.put(Buffer.from(member.email), Buffer.from(member.id));
        }
      });
      counts.members += batch.length;
    }
    return { ...counts, auditEntries: await copyAudit(from, environment) };
  } finally {
    await environment.close();
  }
}

async function copyKeys(from: AccountStore, accountId: string, environment: Environment): Promise<number> {
  const [keys, byAccount] = [environment.database('keys'), environment.database('keys-by-account')];
  let copied = 0;
  for await (const batch of inBatches(from.keys(accountId), batchRecords)) {
    await environment.transaction(() => {
      for (const key of batch) {
        keys.put(Buffer.from(key.id), encode(key));
        byAccount.put(Buffer.from(`${accountId}\0${key.id}`), Buffer.from(key.id));
      }
    });
    copied += batch.length;
  }
  return copied;
}

/** Copies the log. Entries are listed from the newest, and numbered from the oldest, so that a repeated copy gives equal numbers. */
async function copyAudit(from: AccountStore, environment: Environment): Promise<number> {
  let total = 0;
  for await (const _ of from.auditEntries()) total++;
  const audit = environment.database('audit');
  let number = total;
  for await (const batch of inBatches<AuditEntry>(from.auditEntries(), batchRecords))
    await environment.transaction(() => {
      for (const entry of batch) {
        const key = Buffer.alloc(8);
        key.writeBigUInt64BE(BigInt(--number));
        audit.put(key, encode(entry));
      }
    });
  return total;
}

function encode(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
