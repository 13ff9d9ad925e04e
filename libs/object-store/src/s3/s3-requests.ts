import { Readable } from 'node:stream';
import { Pool } from 'undici';
import { ObjectStoreError } from '../errors.ts';
import { objectStoreLimits as limits } from '../limits.ts';
import type { ObjectOperation } from '../object-store.ts';
import { TrafficCounter } from '../traffic.ts';
import { CallDeadline } from './call-deadline.ts';
import { discard, type Response, readAnswerBody } from './read-answer-body.ts';
import { connectionFailure, failureOf, type S3Answer, type S3Failure } from './s3-errors.ts';
import type { S3Signer } from './s3-signer.ts';

export interface S3Request {
  readonly operation: ObjectOperation;
  readonly method: 'GET' | 'HEAD' | 'PUT' | 'POST' | 'DELETE';
  /** Path with the bucket. Keys of this package need no escaping. */
  readonly path: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: readonly Uint8Array[];
  readonly bodySha256?: string;
  /** Key without the prefix, for errors. */
  readonly key?: string;
  /** Largest body of the response. */
  readonly bytesMax?: number;
  /** Turns an error into an answer, such as "absent". It then counts as no failure and is not retried. */
  readonly isAnswer?: (answer: S3Answer) => boolean;
  /** Finds a failure in a response whose status is 200. */
  readonly findFailure?: (answer: S3Answer) => S3Failure | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface S3Result extends S3Answer {
  /** Whether an earlier attempt may have had its effect, although its response was lost. */
  readonly isRepeated: boolean;
}

/** SHA-256 of nothing. */
const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

/** Sends requests to one S3 server: connections, signatures, retries, time limits and counts. */
export class S3Requests {
  readonly #pool: Pool;
  readonly #signer: S3Signer;
  readonly #traffic = new TrafficCounter();
  readonly #callMs: number;
  /** Whether the last call ended without an answer. The next one then waits for one attempt only. */
  #isSilent = false;
  #isClosed = false;

  constructor(options: {
    readonly endpoint: string;
    readonly signer: S3Signer;
    readonly idleMs: number;
    readonly callMs: number;
  }) {
    this.#signer = options.signer;
    this.#callMs = options.callMs;
    this.#pool = new Pool(options.endpoint, {
      connections: limits.connectionsMax,
      connect: { timeout: limits.connectMs },
      headersTimeout: options.idleMs,
      bodyTimeout: options.idleMs,
    });
  }

  traffic() {
    return this.#traffic.snapshot();
  }

  /** Sends a request until it has an answer, a lasting failure, or no attempts left. */
  async send(request: S3Request): Promise<S3Result> {
    const deadline = new CallDeadline(this.#callMs, request.signal);
    try {
      for (let attempt = 1, silences = 0, isRepeated = false; ; attempt++, isRepeated = true) {
        const result = await this.#attempt(request, deadline);
        if ('status' in result) return { ...result, isRepeated };
        if (isSilence(result.error.cause)) silences++;
        if (!result.isRetryable || attempt >= limits.attemptsMax || deadline.isOver) throw result.error;
        if (silences >= (this.#isSilent ? 1 : limits.silentAttemptsMax)) {
          this.#isSilent = true;
          throw result.error;
        }
        await deadline.pause(Math.min(limits.pauseMsMax, limits.pauseMs * 2 ** attempt) * (0.5 + Math.random() / 2));
      }
    } finally {
      deadline.end();
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#pool.destroy(new ObjectStoreError('OBJECT_STORE_CLOSED', 'The object store was closed.'));
  }

  async #attempt(request: S3Request, deadline: CallDeadline): Promise<S3Answer | S3Failure> {
    request.signal?.throwIfAborted();
    if (this.#isClosed)
      throw new ObjectStoreError('OBJECT_STORE_CLOSED', 'The object store was closed.', {
        hint: 'Use a store before close() is called.',
      });
    const { operation, key, body } = request;
    const bytesSent = body?.reduce((sum, part) => sum + part.length, 0) ?? 0;
    this.#traffic.add(operation, { requests: 1, bytesSent, open: 1 });
    const result = await this.#exchange(request, bytesSent, deadline)
      .catch((error: unknown) => {
        request.signal?.throwIfAborted();
        if (error instanceof ObjectStoreError) throw error;
        return connectionFailure(error, key);
      })
      .finally(() => this.#traffic.add(operation, { open: -1 }));
    const failure = 'status' in result ? this.#failureIn(result, request) : result;
    if (failure !== undefined) this.#traffic.add(operation, { failures: 1 });
    return failure ?? result;
  }

  async #exchange(request: S3Request, bytesSent: number, deadline: CallDeadline): Promise<S3Answer> {
    const { method, path, query = {}, headers = {}, body, bodySha256 = emptySha256 } = request;
    const signed = await this.#signer.sign({ method, path, query, headers, bodySha256 });
    const { host: _, ...sent } = signed;
    const response = await this.#pool.request({
      method,
      path: `${path}${queryText(query)}`,
      headers: { ...sent, ...(body !== undefined && { 'content-length': String(bytesSent) }) },
      body: bodyOf(body),
      signal: deadline.signal,
    });
    this.#isSilent = false;
    const isSuccess = response.statusCode < 300;
    if (headers.range !== undefined && response.statusCode === 200 && response.headers['content-length'] !== '0')
      throw rangeIgnored(response.body);
    const bytesMax = isSuccess ? (request.bytesMax ?? limits.answerBytesMax) : limits.answerBytesMax;
    const bytes = method === 'HEAD' ? await drained(response.body) : await readAnswerBody(response, bytesMax);
    this.#traffic.add(request.operation, { bytesReceived: bytes.length });
    return { status: response.statusCode, headers: response.headers, body: bytes };
  }

  #failureIn(answer: S3Answer, request: S3Request): S3Failure | undefined {
    if (answer.status < 300) return request.findFailure?.(answer);
    if (request.isAnswer?.(answer) === true) return undefined;
    const failure = failureOf(answer, request.key);
    if (failure.s3Code === 'RequestTimeTooSkewed' && typeof answer.headers.date === 'string')
      this.#signer.followClock(answer.headers.date);
    return failure;
  }
}

/** Reports whether a server accepted a request and made no progress. Each further attempt would wait as long. */
function isSilence(cause: unknown): boolean {
  const code = typeof cause === 'object' && cause !== null && 'code' in cause ? cause.code : undefined;
  return code === 'UND_ERR_HEADERS_TIMEOUT' || code === 'UND_ERR_BODY_TIMEOUT';
}

function rangeIgnored(body: Response['body']): ObjectStoreError {
  discard(body);
  return new ObjectStoreError('OBJECT_STORE_UNFIT', 'The object store lacks: ranges.', {
    hint: 'Use AWS S3, Cloudflare R2, Ceph, SeaweedFS or versitygw in a recent version.',
    details: { missing: ['ranges'] },
  });
}

/** Parts go to the socket without a copy. */
function bodyOf(parts: readonly Uint8Array[] | undefined): Uint8Array | Readable | null {
  if (parts === undefined) return null;
  return parts.length === 1 ? (parts[0] as Uint8Array) : Readable.from(parts, { objectMode: false });
}

async function drained(body: AsyncIterable<unknown>): Promise<Uint8Array> {
  for await (const _ of body);
  return new Uint8Array(0);
}

/** Escapes as the signature does (RFC 3986). */
function queryText(query: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(query).map(([name, value]) => `${escaped(name)}=${escaped(value)}`);
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function escaped(text: string): string {
  return encodeURIComponent(text).replace(/[!'()*]/g, (character) => `%${character.charCodeAt(0).toString(16)}`);
}
