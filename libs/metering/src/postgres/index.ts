export { openPostgresPlanStore } from './postgres-plan-store.ts';
export { openPostgresUsageStore } from './postgres-usage-store.ts';
