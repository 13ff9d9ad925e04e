export { type S3CredentialSettings, s3Credentials } from './credentials-of-settings.ts';
export { parseS3Url, type S3Location } from './parse-s3-url.ts';
export { probeObjectStore } from './probe-object-store.ts';
export type { S3CredentialSource, S3Credentials } from './s3-credentials.ts';
export { openS3ObjectStore, type S3ObjectStoreOptions } from './s3-object-store.ts';
