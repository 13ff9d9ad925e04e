export { kzg, prepareKzg } from '#kzg';
export { verifyBlobs } from './verify-blobs.ts';
