export { openPostgresRootStore } from './postgres-root-store.ts';
