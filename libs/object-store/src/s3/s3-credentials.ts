/** Credentials of an S3 server. They appear in no error, log or URL. */
export interface S3Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

/** Credentials, or a function for those that expire. It is called for each request, so it should cache. */
export type S3CredentialSource = S3Credentials | (() => S3Credentials | Promise<S3Credentials>);
