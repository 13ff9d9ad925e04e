export { openPostgresPlanStore } from './postgres-plan-store.ts';
