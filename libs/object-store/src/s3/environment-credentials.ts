import { ObjectStoreError } from '../errors.ts';
import type { S3Credentials } from './s3-credentials.ts';

/**
 * Reads credentials from the variables that AWS's own tools use: AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and, for temporary ones,
 * AWS_SESSION_TOKEN.
 * @throws OBJECT_STORE_DENIED if one of the first two is missing
 */
export function environmentCredentials(environment: NodeJS.ProcessEnv = process.env): S3Credentials {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = environment;
  if (!accessKeyId || !secretAccessKey) {
    const missing = accessKeyId ? 'AWS_SECRET_ACCESS_KEY' : 'AWS_ACCESS_KEY_ID';
    throw new ObjectStoreError('OBJECT_STORE_DENIED', `${missing} is not set, and the object store needs it.`, {
      hint: 'Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, and AWS_SESSION_TOKEN for temporary credentials.',
    });
  }
  const { AWS_SESSION_TOKEN: sessionToken } = environment;
  return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
}
