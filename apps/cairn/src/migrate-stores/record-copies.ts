import { join } from 'node:path';
import type { Postgres } from '@cairn/postgres';
import type { RecordCopies } from './migration-step.ts';

/** Copies into a database. Its stores were opened before, so that their tables exist. */
export function copiesToDatabase(database: Postgres): RecordCopies {
  return {
    accounts: async (from) => (await import('@cairn/auth/postgres')).copyAccounts(from, database),
    pinRequests: async (from, accountIds) =>
      (await import('@cairn/pinning/postgres')).copyPinRequests(from, accountIds, database),
    usage: async (from, accountId) => (await import('@cairn/metering/postgres')).copyUsage(from, accountId, database),
  };
}

/** Copies into the embedded stores of a home. */
export function copiesToHome(home: string): RecordCopies {
  const [accounts, pins] = [{ directory: join(home, 'accounts') }, { directory: join(home, 'pins') }];
  return {
    accounts: async (from) => (await import('@cairn/auth')).copyAccountsToLmdb(from, accounts),
    pinRequests: async (from, accountIds) =>
      (await import('@cairn/pinning')).copyPinRequestsToLmdb(from, accountIds, pins),
    usage: async (from, accountId) => (await import('@cairn/metering')).copyUsageToLmdb(from, accountId, accounts),
  };
}
