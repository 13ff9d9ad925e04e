export { openPostgresProvideStore } from './postgres-provide-store.ts';
