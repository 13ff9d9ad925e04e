/** Bytes of an object. Several parts are sent one after another without a copy. They must not change until the write resolves. */
export type ObjectBytes = Uint8Array | readonly Uint8Array[];

export interface ObjectInfo {
  readonly key: string;
  readonly bytes: number;
  readonly modifiedAt: Date;
}

export interface PutObjectOptions {
  /** Refuses to replace an object. Of concurrent writers exactly one succeeds. */
  readonly ifAbsent?: boolean;
  /** SHA-256 of the bytes, if known. The store refuses other bytes. Without it the adapter computes it. */
  readonly sha256?: Uint8Array;
  readonly signal?: AbortSignal;
}

export interface PutStreamOptions {
  /** Writes even a short object in parts, to probe a server. */
  readonly isAlwaysInParts?: boolean;
  readonly signal?: AbortSignal;
}

export interface GetObjectOptions {
  /** Part of the object. All its bytes must exist; with `mayBeShort` only its first one. */
  readonly range?: { readonly offset: number; readonly length: number; readonly mayBeShort?: boolean };
  /** Largest accepted object; by default 64 MiB. It bounds the memory of the call. */
  readonly bytesMax?: number;
  readonly signal?: AbortSignal;
}

export interface ListObjectsOptions {
  /** Lists only keys after this one. */
  readonly after?: string;
  readonly signal?: AbortSignal;
}

/** Requests of one kind, since the store was opened. Retries count as requests. */
export interface OperationTraffic {
  readonly requests: number;
  /** Requests without a response, or with an error that is not an answer such as "absent" or "exists". */
  readonly failures: number;
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** Requests that have no response yet. */
  readonly open: number;
}

/** Kinds of requests, as object stores price them. */
export const objectOperations = ['put', 'get', 'head', 'list', 'delete', 'multipart'] as const;

export type ObjectOperation = (typeof objectOperations)[number];

export type ObjectTraffic = Readonly<Record<ObjectOperation, OperationTraffic>>;

/**
 * The port to a store of immutable objects. Keys are names of ASCII letters, digits, `_`, `.` and `-`, separated by slashes.
 *
 * A resolved write is durable and visible to every reader. A rejected one leaves the old object, or the new one, never a part
 * of it. Each call retries requests that may be repeated, within its limits of time and attempts.
 */
export interface ObjectStore {
  /** Writes an object. @throws OBJECT_EXISTS, OBJECT_CHECKSUM_MISMATCH, OBJECT_TOO_LARGE */
  put(key: string, bytes: ObjectBytes, options?: PutObjectOptions): Promise<void>;
  /**
   * Writes an object of any length in parts. It appears when it is complete, and replaces an older one.
   * @returns its length and its SHA-256
   */
  putStream(
    key: string,
    source: AsyncIterable<Uint8Array>,
    options?: PutStreamOptions,
  ): Promise<{ readonly bytes: number; readonly sha256: Uint8Array }>;
  /** Reads an object or a part of it. @throws OBJECT_NOT_FOUND, OBJECT_RANGE_INVALID, OBJECT_TOO_LARGE */
  get(key: string, options?: GetObjectOptions): Promise<Uint8Array>;
  /** Reads an object of any length. After a lost connection it resumes at the next byte of the same object. @throws OBJECT_NOT_FOUND */
  stream(key: string, options?: { readonly signal?: AbortSignal }): AsyncIterable<Uint8Array>;
  /** Describes an object, or returns undefined. */
  stat(key: string, options?: { readonly signal?: AbortSignal }): Promise<ObjectInfo | undefined>;
  /**
   * Lists each object once. Keys that differ in their last name only are in bytewise order; servers over a file system order
   * other keys by path. A list is slow and priced as a write: never use it to serve a request.
   */
  list(prefix: string, options?: ListObjectsOptions): AsyncIterable<ObjectInfo>;
  /** Removes objects. An absent one is no error. */
  deleteMany(keys: readonly string[], options?: { readonly signal?: AbortSignal }): Promise<void>;
  /** Removes the parts of unfinished {@link putStream} calls that began before `time`, which a killed process left. */
  abortUploadsBefore(time: Date, options?: { readonly signal?: AbortSignal }): Promise<number>;
  traffic(): ObjectTraffic;
  /** Ends open requests. Later calls throw OBJECT_STORE_CLOSED. */
  close(): Promise<void>;
}
