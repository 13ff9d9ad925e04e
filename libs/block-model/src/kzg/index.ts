export { kzg, prepareKzg } from './kzg.ts';
export { verifyBlobs } from './verify-blobs.ts';
