export { openPostgresLimitStore, type PostgresLimitStoreOptions } from './postgres-limit-store.ts';
export { openPostgresPlanStore } from './postgres-plan-store.ts';
export { openPostgresRequestLogStore } from './postgres-request-log-store.ts';
export { copyUsage, openPostgresUsageStore } from './postgres-usage-store.ts';
