import { rangeOf } from './byte-range.ts';
import { GatewayError } from './errors.ts';
import { matchesEtag } from './etag.ts';
import { type Exchange, field } from './exchange.ts';
import type { GatewayResponse } from './gateway-types.ts';

/** Bytes with a known size, of which a range can be read. */
export interface RangeSource {
  readonly size: number;
  read(start: number, length: number): AsyncIterable<Uint8Array>;
}

/** Response without a body for a client that has the content. Returns undefined if it does not. */
export function notModified({ request, headers }: Exchange, etag: string): GatewayResponse | undefined {
  if (!matchesEtag(field(request, 'if-none-match'), etag)) return undefined;
  const path = headers['x-ipfs-path'];
  return { status: 304, headers: path === undefined ? {} : { 'x-ipfs-path': path } };
}

/** Serves bytes, or the range that the request asks for. @throws GatewayError 416 */
export function serveBytes({ request, headers }: Exchange, source: RangeSource, status = 200): GatewayResponse {
  headers['accept-ranges'] = 'bytes';
  const ifRange = field(request, 'if-range');
  // A status other than 200 describes the whole page, such as a custom 404.
  const isWhole = status !== 200 || (ifRange !== undefined && ifRange !== headers.etag);
  const range = rangeOf(isWhole ? undefined : field(request, 'range'), source.size);
  const start = range?.start ?? 0;
  const length = range === undefined ? source.size : range.end - range.start + 1;
  headers['content-length'] = String(length);
  if (range !== undefined) headers['content-range'] = `bytes ${range.start}-${range.end}/${source.size}`;
  return { status: range === undefined ? status : 206, headers, body: source.read(start, length) };
}

/** Source of bytes in memory. */
export function memorySource(bytes: Uint8Array): RangeSource {
  return {
    size: bytes.length,
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
