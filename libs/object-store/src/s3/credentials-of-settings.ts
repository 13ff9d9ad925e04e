import { ObjectStoreError } from '../errors.ts';
import type { S3Credentials } from './s3-credentials.ts';

/** Settings under the names that AWS's own tools use. */
export interface S3CredentialSettings {
  readonly AWS_ACCESS_KEY_ID?: string | undefined;
  readonly AWS_SECRET_ACCESS_KEY?: string | undefined;
  /** For temporary credentials. */
  readonly AWS_SESSION_TOKEN?: string | undefined;
}

/** Returns the credentials in settings or environment variables. @throws OBJECT_STORE_DENIED if one of the first two is missing */
export function s3Credentials(settings: S3CredentialSettings): S3Credentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  if (!accessKeyId || !secretAccessKey) {
    const missing = accessKeyId ? 'AWS_SECRET_ACCESS_KEY' : 'AWS_ACCESS_KEY_ID';
    throw new ObjectStoreError('OBJECT_STORE_DENIED', `${missing} is not set, and the object store needs it.`, {
      hint: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN for temporary credentials.',
    });
  }
  const { AWS_SESSION_TOKEN: sessionToken } = settings;
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}
