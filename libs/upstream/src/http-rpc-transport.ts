import { countJsonValues } from '@cairn/platform';
import type { Pool } from 'undici';
import type { UpstreamAddress } from './address.ts';
import { failureOfStatus, type RpcErrorObject } from './classify-error.ts';
import { AttemptFailure } from './errors.ts';
import type { UpstreamLimits } from './limits.ts';
import { answersOf, bodyOf, parseAnswer, type RpcTransport, type WireAnswers, type WireCall } from './rpc-transport.ts';

/** JSON-RPC over HTTP with keep-alive. Redirects are not followed, since an upstream could name an internal address. */
export class HttpRpcTransport implements RpcTransport {
  /** Made for the first request, since its package is large. */
  #pool: Promise<Pool> | undefined;
  readonly #makePool: () => Promise<Pool>;
  #isClosed = false;
  readonly #path: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #bytesMax: number;
  readonly #valuesMax: number;
  readonly #bufferedMax: number;
  /** Bytes of answers that are not complete. */
  #buffered = 0;

  constructor({ url, headers }: UpstreamAddress, limits: UpstreamLimits) {
    const { origin, pathname, search } = new URL(url);
    this.#path = pathname + search;
    this.#headers = { ...headers, 'content-type': 'application/json', accept: 'application/json' };
    this.#bytesMax = limits.answerBytesMax;
    this.#valuesMax = limits.answerValuesMax;
    this.#bufferedMax = limits.bufferedBytesMax;
    this.#makePool = async () => {
      // The bundle of a service has CommonJS modules as their default alone.
      const { Pool } = (await import('undici')).default;
      return new Pool(origin, {
        connections: limits.concurrencyMax,
        connect: { timeout: limits.attemptMs },
        headersTimeout: limits.attemptMs,
        bodyTimeout: limits.attemptMs,
        keepAliveTimeout: 30_000,
      });
    };
  }

  async send(calls: readonly WireCall[], signal: AbortSignal): Promise<WireAnswers> {
    try {
      if (this.#isClosed) throw new AttemptFailure('failed', 'the connection is closed');
      this.#pool ??= this.#makePool();
      const { statusCode, headers, body } = await (await this.#pool).request({
        method: 'POST',
        path: this.#path,
        headers: this.#headers,
        body: bodyOf(calls),
        signal,
      });
      const text = await this.#readText(body);
      if (statusCode >= 200 && statusCode < 300) return answersOf(parseAnswer(text), calls);
      const retryAfter = headers['retry-after'];
      const failure = failureOfStatus(statusCode, Array.isArray(retryAfter) ? retryAfter[0] : retryAfter, Date.now());
      const error = failure.kind === 'limited' ? undefined : errorIn(text);
      if (error === undefined) throw failure;
      return { byId: new Map(), batchError: error };
    } catch (error) {
      signal.throwIfAborted();
      if (error instanceof AttemptFailure) throw error;
      throw new AttemptFailure('failed', reasonOf(error));
    }
  }

  async #readText(body: AsyncIterable<Uint8Array> & { destroy(): unknown }): Promise<string> {
    const chunks: Uint8Array[] = [];
    let length = 0;
    let values = 0;
    try {
      for await (const chunk of body) {
        length += chunk.length;
        values += countJsonValues(chunk);
        this.#buffered += chunk.length;
        if (length > this.#bytesMax || this.#buffered > this.#bufferedMax) {
          body.destroy();
          throw new AttemptFailure('failed', `the answer exceeds ${this.#bytesMax} bytes`);
        }
        if (values > this.#valuesMax) {
          body.destroy();
          throw new AttemptFailure('failed', `the answer has more than ${this.#valuesMax} values`);
        }
        chunks.push(chunk);
      }
      return Buffer.concat(chunks).toString();
    } finally {
      this.#buffered -= length;
    }
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    await (await this.#pool)?.destroy();
  }
}

/** JSON-RPC error in the body of an error status, as some nodes send it. */
function errorIn(text: string): RpcErrorObject | undefined {
  if (!text.startsWith('{') || text.length > 65_536) return undefined;
  try {
    const { error } = JSON.parse(text) as { readonly error?: RpcErrorObject };
    return typeof error === 'object' && error !== null && error.message !== undefined ? error : undefined;
  } catch {
    return undefined;
  }
}

/** Code of a connection error. Messages of Node may contain the path, so they are not used. */
export function reasonOf(error: unknown): string {
  const code = (error as { readonly code?: unknown } | undefined)?.code;
  const cause = (error as { readonly cause?: unknown } | undefined)?.cause;
  if (typeof code === 'string') return code;
  return cause === undefined ? 'the connection failed' : reasonOf(cause);
}
