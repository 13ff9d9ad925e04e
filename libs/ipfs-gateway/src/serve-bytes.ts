import type { BufferPool } from '@cairn/blockstore/core';
import { rangeOf } from './byte-range.ts';
import { setContentCaching, setPageCaching } from './cache-control.ts';
import { GatewayError } from './errors.ts';
import { matchesEtag } from './etag.ts';
import { type Content, type Exchange, field } from './exchange.ts';
import type { GatewayResponse } from './gateway-types.ts';
import { limits } from './limits.ts';
import { isPageTag } from './page-style.ts';
import { isUnmodified, matchesIfRange } from './preconditions.ts';

/** Bytes with a known size, of which a range can be read. */
export interface RangeSource {
  readonly size: number;
  read(start: number, length: number, buffers?: BufferPool): AsyncIterable<Uint8Array>;
  /** Buffers for the bytes of large responses. Those of small ones may stay in memory. */
  readonly buffers?: BufferPool;
  /** All bytes, where they are in memory. */
  readonly bytes?: Uint8Array;
}

/** Fields of a 304: those that select and refresh a stored response (RFC 9110, 15.4.5), and those of the path. */
const unmodifiedFields: ReadonlySet<string> = new Set([
  ...['cache-control', 'content-location', 'etag', 'last-modified'],
  ...['ipfs-uri', 'x-ipfs-path'],
]);

/** Response without a body for a client that has the content. Returns undefined if it does not. */
export function notModified(
  exchange: Exchange,
  content: Pick<Content, 'ttlSeconds'>,
  ...etags: readonly string[]
): GatewayResponse | undefined {
  const { request, headers } = exchange;
  const tags = field(request, 'if-none-match');
  const etag = etags.find((one) => matchesEtag(tags, one));
  if (etag === undefined) return undefined;
  // `*` names no response of the client.
  if (tags?.trim() === '*') return unmodified(headers);
  if (isPageTag(etag)) setPageCaching(exchange, content);
  else setContentCaching(exchange, content);
  return unmodified({ ...headers, etag });
}

function unmodified(headers: Exchange['headers']): GatewayResponse {
  const kept = Object.entries(headers).filter(([name]) => unmodifiedFields.has(name));
  return { status: 304, headers: Object.fromEntries(kept) };
}

/** Serves bytes, or the range that the request asks for. @throws GatewayError 416 */
export function serveBytes(exchange: Exchange, source: RangeSource, status = 200): GatewayResponse {
  const { request, headers } = exchange;
  if (status === 200 && isUnmodified(exchange)) return unmodified(headers);
  headers['accept-ranges'] = 'bytes';
  // A status other than 200 describes the whole page, such as a custom 404.
  const isWhole = status !== 200 || !matchesIfRange(exchange);
  const range = rangeOf(isWhole ? undefined : field(request, 'range'), source.size);
  const start = range?.start ?? 0;
  const length = range === undefined ? source.size : range.end - range.start + 1;
  headers['content-length'] = String(length);
  if (range !== undefined) headers['content-range'] = `bytes ${range.start}-${range.end}/${source.size}`;
  const sent = range === undefined ? status : 206;
  if (source.bytes !== undefined) return wholeBody(sent, headers, source.bytes.subarray(start, start + length));
  const buffers = length > limits.hotResponseBytesMax ? source.buffers : undefined;
  const resume = (offset: number) => source.read(start + offset, length - offset, buffers);
  return { status: sent, headers, body: resume(0), resume, ...(buffers && { buffers }) };
}

function wholeBody(status: number, headers: Readonly<Record<string, string>>, bytes: Uint8Array): GatewayResponse {
  return { status, headers, bytes, body: memorySource(bytes).read(0, bytes.length) };
}

/** Source of bytes in memory. */
export function memorySource(bytes: Uint8Array): RangeSource {
  return {
    size: bytes.length,
    bytes,
    read: async function* (start, length) {
      yield bytes.subarray(start, start + length);
    },
  };
}

/** Throws for a representation that the block cannot be served as. */
export function refuseConversion(mediaType: string, codec: string): never {
  throw new GatewayError(
    406,
    `format "${mediaType}" requested but block has codec "${codec}": codec conversion is not supported, fetch raw block with ?format=raw and convert client-side`,
  );
}
