export type { CopiedPinRequests } from '../requests/copy-pin-requests-to-lmdb.ts';
export { copyPinRequests } from './copy-pin-requests.ts';
export { openPostgresPinRequestStore } from './postgres-pin-request-store.ts';
export { openPostgresPinStore } from './postgres-pin-store.ts';
