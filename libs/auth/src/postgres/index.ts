export { accountsChannel } from './account-tables.ts';
export { openPostgresAccountStore } from './postgres-account-store.ts';
export { openPostgresGatewayHostStore } from './postgres-gateway-host-store.ts';
