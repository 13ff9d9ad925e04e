import { createHash, randomBytes } from 'node:crypto';
import { ObjectStoreError } from '../errors.ts';
import { assertKey } from '../keys.ts';
import { objectStoreLimits as limits } from '../limits.ts';
import type {
  GetObjectOptions,
  ListObjectsOptions,
  ObjectBytes,
  ObjectInfo,
  ObjectStore,
  PutObjectOptions,
  PutStreamOptions,
} from '../object-store.ts';
import { sha256InSlices } from '../sha256.ts';
import { parseS3Url, type S3Location } from './parse-s3-url.ts';
import { probeObjectStore } from './probe-object-store.ts';
import type { S3CredentialSource } from './s3-credentials.ts';
import { deleteObjects } from './s3-delete.ts';
import { failureOfCode, type S3Answer, type S3Failure } from './s3-errors.ts';
import { listObjects } from './s3-list.ts';
import { S3Multipart } from './s3-multipart.ts';
import { type S3Request, S3Requests, type S3Result } from './s3-requests.ts';
import { S3Signer } from './s3-signer.ts';

export interface S3ObjectStoreOptions {
  /** `s3://bucket/prefix?endpoint=https://host&region=name`. */
  readonly url: string;
  readonly credentials: S3CredentialSource;
  /** Verifies at start that the server has all operations; default true. See {@link probeObjectStore}. */
  readonly probe?: boolean;
  /** Milliseconds without progress; see `objectStoreLimits`. */
  readonly idleMs?: number;
  /** Milliseconds of a call with all its attempts; see `objectStoreLimits`. */
  readonly callMs?: number;
}

/** Opens a store in a bucket of an S3 server. @throws OBJECT_STORE_URL_INVALID, OBJECT_STORE_UNFIT, OBJECT_STORE_DENIED */
export async function openS3ObjectStore(options: S3ObjectStoreOptions): Promise<ObjectStore> {
  const store = new S3ObjectStore(options, parseS3Url(options.url));
  try {
    if (options.probe ?? true) await probeObjectStore(store);
    return store;
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Name of this write, to recognize it when the response was lost. */
const writeNameHeader = 'x-amz-meta-cairn-write';

class S3ObjectStore implements ObjectStore {
  readonly #requests: S3Requests;
  readonly #location: S3Location;

  constructor(options: S3ObjectStoreOptions, location: S3Location) {
    const { endpoint, region } = location;
    const signer = new S3Signer({ credentials: options.credentials, region, endpoint });
    const { idleMs = limits.idleMs, callMs = limits.callMs } = options;
    this.#location = location;
    this.#requests = new S3Requests({ endpoint, signer, idleMs, callMs });
  }

  async put(key: string, bytes: ObjectBytes, options: PutObjectOptions = {}): Promise<void> {
    const body: readonly Uint8Array[] = bytes instanceof Uint8Array ? [bytes] : bytes;
    const length = body.reduce((sum, part) => sum + part.length, 0);
    if (length > limits.objectBytesMax) throw tooLarge(length);
    const sha256 = Buffer.from(options.sha256 ?? (await sha256InSlices(body)));
    const writeName = randomBytes(16).toString('hex');
    const isExisting = (answer: { status: number }) => options.ifAbsent === true && answer.status === 412;
    const result = await this.#send(key, {
      operation: 'put',
      method: 'PUT',
      headers: {
        'x-amz-checksum-sha256': sha256.toString('base64'),
        ...(options.ifAbsent === true && { 'if-none-match': '*', [writeNameHeader]: writeName }),
      },
      body,
      bodySha256: sha256.toString('hex'),
      isAnswer: isExisting,
      findFailure: unconfirmedWrite,
      signal: options.signal,
    });
    if (!isExisting(result)) return;
    // An attempt whose response was lost may have written it.
    if (result.isRepeated && (await this.#writeNameOf(key, options.signal)) === writeName) return;
    throw new ObjectStoreError('OBJECT_EXISTS', `The object ${key} exists already.`, {
      hint: 'Read it, or use another key.',
      details: { key },
    });
  }

  async putStream(key: string, source: AsyncIterable<Uint8Array>, options: PutStreamOptions = {}) {
    assertKey(key, this.#location.prefix);
    const upload = new S3Multipart({
      send: (request) => this.#send(key, request),
      putWhole: (parts) => this.put(key, parts, options),
      writeName: randomBytes(16).toString('hex'),
      writeNameHeader,
      readWriteName: () => this.#writeNameOf(key, options.signal),
      isAlwaysInParts: options.isAlwaysInParts ?? false,
      signal: options.signal,
    });
    return upload.write(source);
  }

  async get(key: string, options: GetObjectOptions = {}): Promise<Uint8Array> {
    const { range, bytesMax = limits.objectBytesMax, signal } = options;
    if (range?.length === 0) return new Uint8Array(0);
    const result = await this.#read(key, {
      headers: range === undefined ? { 'x-amz-checksum-mode': 'ENABLED' } : rangeHeader(range),
      bytesMax: range === undefined ? bytesMax : range.length,
      signal,
    });
    if (range === undefined) verifySha256(key, result);
    else if (result.body.length < range.length && range.mayBeShort !== true) throw rangeInvalid(key);
    return result.body;
  }

  async *stream(key: string, options: { readonly signal?: AbortSignal } = {}): AsyncIterable<Uint8Array> {
    const first = await this.#read(key, {
      headers: rangeHeader({ offset: 0, length: limits.partBytes }),
      bytesMax: limits.partBytes,
      signal: options.signal,
      isAnswer: ({ status }) => status === 416,
    });
    // An empty object has no first byte.
    if (first.status === 416) return;
    const { etag, 'content-range': contentRange } = first.headers;
    const total = Number(/\/(\d+)$/.exec(String(contentRange))?.[1] ?? first.body.length);
    if (first.body.length > 0) yield first.body;
    for (let offset = first.body.length; offset < total; ) {
      const length = Math.min(limits.partBytes, total - offset);
      const next = await this.#read(key, {
        // Bytes of a replaced object are not mixed with those of the first one.
        headers: { ...rangeHeader({ offset, length }), ...(typeof etag === 'string' && { 'if-match': etag }) },
        bytesMax: length,
        signal: options.signal,
      });
      if (next.body.length < length) throw rangeInvalid(key);
      yield next.body;
      offset += length;
    }
  }

  async stat(key: string, options: { readonly signal?: AbortSignal } = {}): Promise<ObjectInfo | undefined> {
    const head = await this.#head(key, options.signal);
    if (head === undefined) return undefined;
    const { 'content-length': bytes, 'last-modified': modified } = head.headers;
    return { key, bytes: Number(bytes), modifiedAt: new Date(String(modified)) };
  }

  async *list(prefix: string, options: ListObjectsOptions = {}): AsyncIterable<ObjectInfo> {
    const { bucket, prefix: root } = this.#location;
    yield* listObjects({
      send: (request) => this.#requests.send({ ...request, path: `/${bucket}` }),
      root,
      prefix,
      options,
    });
  }

  async deleteMany(keys: readonly string[], options: { readonly signal?: AbortSignal } = {}): Promise<void> {
    const { bucket, prefix } = this.#location;
    for (const key of keys) assertKey(key, prefix);
    for (let start = 0; start < keys.length; start += limits.keysPerRequestMax) {
      const names = keys.slice(start, start + limits.keysPerRequestMax).map((key) => `${prefix}${key}`);
      await this.#requests.send({ ...deleteObjects(names), path: `/${bucket}`, signal: options.signal });
    }
  }

  async abortUploadsBefore(time: Date, options: { readonly signal?: AbortSignal } = {}): Promise<number> {
    const { bucket, prefix } = this.#location;
    return S3Multipart.abortBefore({
      time,
      prefix,
      send: (request, name) =>
        this.#requests.send({
          ...request,
          path: name === undefined ? `/${bucket}` : `/${bucket}/${name}`,
          signal: options.signal,
        }),
    });
  }

  traffic() {
    return this.#requests.traffic();
  }

  close(): Promise<void> {
    return this.#requests.close();
  }

  #read(key: string, request: Pick<S3Request, 'headers' | 'bytesMax' | 'signal' | 'isAnswer'>): Promise<S3Result> {
    return this.#send(key, { operation: 'get', method: 'GET', ...request });
  }

  async #head(key: string, signal: AbortSignal | undefined): Promise<S3Result | undefined> {
    const isAnswer = ({ status }: { status: number }) => status === 404;
    const result = await this.#send(key, { operation: 'head', method: 'HEAD', isAnswer, signal });
    return result.status === 404 ? undefined : result;
  }

  async #writeNameOf(key: string, signal: AbortSignal | undefined): Promise<string | undefined> {
    const value = (await this.#head(key, signal))?.headers[writeNameHeader];
    return typeof value === 'string' ? value : undefined;
  }

  async #send(key: string, request: Omit<S3Request, 'path' | 'key'>): Promise<S3Result> {
    const { bucket, prefix } = this.#location;
    assertKey(key, prefix);
    return this.#requests.send({ ...request, key, path: `/${bucket}/${prefix}${key}` });
  }
}

/** S3 answers each write with the ETag of the object. A proxy that answers 200 in its place has stored nothing. */
function unconfirmedWrite({ status, headers }: S3Answer): S3Failure | undefined {
  return headers.etag === undefined ? failureOfCode({ s3Code: 'InternalError', status, key: undefined }) : undefined;
}

function rangeHeader({ offset, length }: { readonly offset: number; readonly length: number }) {
  return { range: `bytes=${offset}-${offset + length - 1}` };
}

/** Verifies bytes if the server stores their SHA-256. That of an upload in parts is one of hashes and has a suffix. */
function verifySha256(key: string, { headers, body }: S3Result): void {
  const expected = headers['x-amz-checksum-sha256'];
  if (typeof expected !== 'string' || expected.length !== 44) return;
  if (createHash('sha256').update(body).digest('base64') === expected) return;
  throw new ObjectStoreError('OBJECT_CHECKSUM_MISMATCH', `The bytes of ${key} differ from their checksum.`, {
    hint: 'Retry; if it repeats, restore the object from a backup.',
    details: { key },
  });
}

function rangeInvalid(key: string): ObjectStoreError {
  return new ObjectStoreError('OBJECT_RANGE_INVALID', `The range ends after the end of ${key}.`, {
    hint: 'Ask for bytes within the object.',
    details: { key },
  });
}

function tooLarge(bytes: number): ObjectStoreError {
  return new ObjectStoreError(
    'OBJECT_TOO_LARGE',
    `The object has ${bytes} bytes; ${limits.objectBytesMax} are allowed.`,
    {
      hint: 'Write it with putStream.',
      details: { bytes, bytesMax: limits.objectBytesMax },
    },
  );
}
