export { type ReadVerifiedCarOptions, readVerifiedCar, type VerifiedBlocks } from './read-verified-car.ts';
export { verifyCid } from './verify-cid.ts';
export { type VerifyFileOptions, verifyFile } from './verify-file.ts';
