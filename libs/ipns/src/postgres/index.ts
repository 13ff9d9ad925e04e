export { openPostgresNameStore } from './open-postgres-name-store.ts';
