export { openPostgresPinStore } from './postgres-pin-store.ts';
