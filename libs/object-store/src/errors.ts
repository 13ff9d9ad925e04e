import { CairnError } from '@cairn/errors';

export type ObjectStoreErrorCode =
  | 'OBJECT_NOT_FOUND'
  | 'OBJECT_EXISTS'
  | 'OBJECT_RANGE_INVALID'
  | 'OBJECT_TOO_LARGE'
  | 'OBJECT_KEY_INVALID'
  | 'OBJECT_CHECKSUM_MISMATCH'
  | 'OBJECT_STORE_UNAVAILABLE'
  | 'OBJECT_STORE_BUSY'
  | 'OBJECT_STORE_DENIED'
  | 'OBJECT_STORE_FULL'
  | 'OBJECT_STORE_REFUSED'
  | 'OBJECT_STORE_UNFIT'
  | 'OBJECT_STORE_CLOSED'
  | 'OBJECT_STORE_URL_INVALID'
  | 'OBJECT_BUCKET_NOT_FOUND';

/** Error of this package. Messages and details contain no credentials and no signed URL. */
export class ObjectStoreError extends CairnError<ObjectStoreErrorCode> {}
