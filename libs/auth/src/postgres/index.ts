export type { CopiedAccounts } from '../copy-accounts-to-lmdb.ts';
export { accountsChannel } from './account-tables.ts';
export { copyAccounts } from './copy-accounts.ts';
export { postgresAccountFeed } from './postgres-account-feed.ts';
export { openPostgresAccountStore } from './postgres-account-store.ts';
export { openPostgresGatewayHostStore } from './postgres-gateway-host-store.ts';
