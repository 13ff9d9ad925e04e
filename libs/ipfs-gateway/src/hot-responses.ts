// Hot path of small files: tools/bench/ipfs-gateway.mjs compares it with Kubo. The plain version is `GatewayService`.
import { LRUCache } from 'lru-cache';
import { field } from './exchange.ts';
import type { ContentRequest, GatewayRequest, GatewayResponse } from './gateway-types.ts';
import { limits } from './limits.ts';

/** Response that is the same for each request with its key, and the content that the policy decides about. */
export interface HotResponse {
  readonly response: GatewayResponse & { readonly bytes: Uint8Array };
  readonly content: ContentRequest;
}

interface Begun {
  readonly key: string;
  readonly version: number;
}

/** Request fields that change a response. A request with one of them is not served from memory. */
const changing = [
  ...['range', 'if-none-match', 'if-match', 'if-modified-since', 'if-unmodified-since', 'if-range', 'cache-control'],
  ...['service-worker', 'x-forwarded-host', 'x-forwarded-proto'],
];

/** Memory of an entry beside its key and body: fields and CIDs. */
const entryBytes = 2048;

/** Keeps small responses of immutable content. A key names one response, since the path names the content by its hash. */
export class HotResponses {
  readonly #cache: LRUCache<string, HotResponse>;
  /** Count of calls of {@link clear}: a response that was begun before one is not kept. */
  version = 0;
  /** Bytes of responses that are read now. */
  #collectedBytes = 0;

  constructor(bytesMax: number) {
    this.#cache = new LRUCache({
      maxSize: bytesMax,
      sizeCalculation: ({ response }, key) => response.bytes.length + key.length + entryBytes,
    });
  }

  /** Key of a request, or undefined if its response depends on more than target, host and format. */
  keyOf(request: GatewayRequest): string | undefined {
    const { method, target, host, headers } = request;
    if (method !== 'GET' || target.length + host.length > limits.hotKeyCharactersMax) return undefined;
    for (const name of changing) if (headers[name] !== undefined) return undefined;
    const accept = field(request, 'accept') ?? '';
    // Other types, such as those of images, do not choose a format.
    const choosing = /html|ip[lf][ds]|json|cbor|tar/i.test(accept) ? accept : '';
    return choosing.length > limits.hotKeyCharactersMax ? undefined : `${host}\n${target}\n${choosing}`;
  }

  get(key: string): HotResponse | undefined {
    return this.#cache.get(key);
  }

  /** Drops all responses. */
  clear(): void {
    this.version++;
    this.#cache.clear();
  }

  /**
   * Keeps a response that is small, immediately or when it has been read. Returns the response to send.
   * @param begun the key, and the version when the response was begun
   */
  keep(begun: Begun, response: GatewayResponse, content: ContentRequest): GatewayResponse {
    const { bytes, body, headers } = response;
    const isSmall = Number(headers['content-length'] ?? 0) <= limits.hotResponseBytesMax;
    if (response.status !== 200 || body === undefined || !isSmall) return response;
    if (bytes === undefined) return { ...response, body: this.#collect(begun, response, content) };
    if (begun.version === this.version) this.#cache.set(begun.key, { response: { ...response, bytes }, content });
    return response;
  }

  async *#collect(begun: Begun, response: GatewayResponse, content: ContentRequest): AsyncGenerator<Uint8Array> {
    let parts: Uint8Array[] | undefined = [];
    let length = 0;
    try {
      for await (const bytes of response.body ?? []) {
        if (parts === undefined) {
          yield bytes;
          continue;
        }
        length += bytes.length;
        this.#collectedBytes += bytes.length;
        // Slow clients keep responses open: their parts would fill the memory.
        const isOver = length > limits.hotResponseBytesMax || this.#collectedBytes > limits.collectedBytesMax;
        if (isOver) {
          parts = undefined;
          this.#collectedBytes -= length;
          length = 0;
        } else parts.push(bytes);
        yield bytes;
      }
    } finally {
      this.#collectedBytes -= length;
    }
    if (parts === undefined || begun.version !== this.version) return;
    const whole = Buffer.concat(parts);
    const headers = { ...response.headers, 'content-length': String(whole.length) };
    this.#cache.set(begun.key, { response: { status: 200, headers, bytes: whole }, content });
  }
}

/** Returns a hot response with a body for transports that read it as a stream. */
export function withBody(response: HotResponse['response']): GatewayResponse {
  return {
    ...response,
    body: (async function* () {
      yield response.bytes;
    })(),
  };
}
