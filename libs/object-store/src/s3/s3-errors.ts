import { ObjectStoreError, type ObjectStoreErrorCode } from '../errors.ts';
import { parseXml, textOf, type XmlElement } from './s3-xml.ts';

/** Response without its body. */
export interface S3Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: Uint8Array;
}

interface Rule {
  readonly code: ObjectStoreErrorCode;
  readonly message: string;
  readonly hint: string;
  readonly isRetryable?: true;
}

const refusedAccess: Rule = {
  code: 'OBJECT_STORE_DENIED',
  message: 'The object store refused the credentials or the access.',
  hint: 'Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY and AWS_SESSION_TOKEN, and the rights on the bucket.',
};
const full: Rule = {
  code: 'OBJECT_STORE_FULL',
  message: 'The object store is full, or the quota of the bucket is used up.',
  hint: 'Add space to the object store, or raise the quota of the bucket.',
};
const checksum: Rule = {
  code: 'OBJECT_CHECKSUM_MISMATCH',
  message: 'The object store refused bytes that differ from their checksum.',
  hint: 'Retry; if it repeats, check the network and the memory of this machine.',
};
const busy: Rule = {
  code: 'OBJECT_STORE_BUSY',
  message: 'The object store asked for fewer requests.',
  hint: 'Retry in a moment, or raise the request rate of the bucket.',
  isRetryable: true,
};
const unavailable: Rule = {
  code: 'OBJECT_STORE_UNAVAILABLE',
  message: 'The object store does not answer.',
  hint: 'Retry in a moment.',
  isRetryable: true,
};

/** Error codes of S3 (API reference, "List of error codes"). They decide before the status. */
const rulesByCode: Readonly<Record<string, Rule>> = {
  NoSuchBucket: {
    code: 'OBJECT_BUCKET_NOT_FOUND',
    message: 'The bucket does not exist.',
    hint: 'Create the bucket, or correct its name and the endpoint.',
  },
  NoSuchUpload: {
    code: 'OBJECT_STORE_REFUSED',
    message: 'The upload does not exist any more.',
    hint: 'Write the object again.',
  },
  AccessDenied: refusedAccess,
  ExpiredToken: refusedAccess,
  InvalidAccessKeyId: refusedAccess,
  InvalidToken: refusedAccess,
  SignatureDoesNotMatch: refusedAccess,
  BadDigest: checksum,
  InvalidDigest: checksum,
  XAmzContentSHA256Mismatch: checksum,
  XAmzContentChecksumMismatch: checksum,
  RequestTimeTooSkewed: {
    code: 'OBJECT_STORE_DENIED',
    message: 'The object store refused the clock of this machine.',
    hint: 'Set the clock of this machine.',
    isRetryable: true,
  },
  RequestTimeout: unavailable,
  ConditionalRequestConflict: busy,
  OperationAborted: busy,
  SlowDown: busy,
  TooManyRequests: busy,
  InternalError: unavailable,
  // Ceph answers a used quota with status 403, MinIO with 400, and a full disk with 507.
  QuotaExceeded: full,
  XMinioAdminBucketQuotaExceeded: full,
  XMinioStorageFull: full,
};

const rulesByStatus: Readonly<Record<number, Rule>> = {
  401: refusedAccess,
  403: refusedAccess,
  404: { code: 'OBJECT_NOT_FOUND', message: 'The object does not exist.', hint: 'Check the key and the prefix.' },
  412: { code: 'OBJECT_EXISTS', message: 'The object exists already.', hint: 'Read it, or use another key.' },
  416: {
    code: 'OBJECT_RANGE_INVALID',
    message: 'The range ends after the end of the object.',
    hint: 'Ask for bytes within the object.',
  },
  409: busy,
  429: busy,
  503: busy,
  507: full,
};

/** An error and whether the request may be sent again. */
export interface S3Failure {
  readonly error: ObjectStoreError;
  readonly isRetryable: boolean;
  /** Code of S3, such as `NoSuchKey`. */
  readonly s3Code: string | undefined;
}

/** Maps a response to an error. `key` is without the prefix. */
export function failureOf(answer: S3Answer, key: string | undefined): S3Failure {
  const root = parseXml(answer.body);
  const element = (typeof root === 'object' ? root.Error : undefined) as XmlElement | undefined;
  const code = textOf(element, 'Code');
  const s3Code = code !== undefined && /^\w{1,64}$/.test(code) ? code : undefined;
  return failureOfCode({ s3Code, status: answer.status, key, pause: answer.headers['retry-after'] });
}

/** Longest pause that is passed on, in seconds. */
const pauseSecondsMax = 120;

/** Seconds of the field Retry-After; 1 without it, and where it is a date. */
function secondsOf(pause: unknown): number {
  const isSeconds = typeof pause === 'string' && /^[1-9]\d{0,8}$/.test(pause);
  return isSeconds ? Math.min(Number(pause), pauseSecondsMax) : 1;
}

/** Maps a code or a status to an error. */
export function failureOfCode(answer: {
  readonly s3Code: string | undefined;
  readonly status: number;
  readonly key: string | undefined;
  /** Field Retry-After. */
  readonly pause?: unknown;
}): S3Failure {
  const { s3Code, status, key, pause } = answer;
  const rule =
    rulesByCode[s3Code ?? ''] ?? rulesByStatus[status] ?? (status >= 500 && status !== 501 ? unavailable : undefined);
  const { code, message, hint } = rule ?? {
    code: 'OBJECT_STORE_REFUSED' as const,
    message: `The object store refused a request (status ${status}${s3Code === undefined ? '' : `, ${s3Code}`}).`,
    hint: 'See the log of the object store.',
  };
  const isRetryable = rule?.isRetryable === true || rule === busy;
  const details = {
    status,
    ...(s3Code !== undefined && { s3Code }),
    ...(key !== undefined && { key }),
    ...(isRetryable && { retryAfterSeconds: secondsOf(pause) }),
  };
  return { error: new ObjectStoreError(code, message, { hint, details }), isRetryable, s3Code };
}

/** Maps a lost connection or a timeout. The system's error has an address and no credentials. */
export function connectionFailure(cause: unknown, key: string | undefined): S3Failure {
  const { message, hint } = unavailable;
  const details = { ...(key !== undefined && { key }), retryAfterSeconds: 1 };
  const error = new ObjectStoreError('OBJECT_STORE_UNAVAILABLE', message, { hint, details, cause });
  return { error, isRetryable: true, s3Code: undefined };
}
