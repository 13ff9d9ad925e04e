export { accountsChannel } from './account-tables.ts';
export { type CopiedAccounts, copyAccounts } from './copy-accounts.ts';
export { postgresAccountFeed } from './postgres-account-feed.ts';
export { openPostgresAccountStore } from './postgres-account-store.ts';
export { openPostgresGatewayHostStore } from './postgres-gateway-host-store.ts';
