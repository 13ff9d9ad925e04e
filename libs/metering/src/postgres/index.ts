export { openPostgresPlanStore } from './postgres-plan-store.ts';
export { copyUsage, openPostgresUsageStore } from './postgres-usage-store.ts';
