import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createBrotliDecompress, createGunzip, createInflate, gzip } from 'node:zlib';
import { TransportError } from './transport-error.ts';

const gzipAsync = promisify(gzip);
/** Shorter answers fit into a few packets uncompressed. */
const compressedBytesMin = 4096;

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;

/** Decompresses the body of a request (RFC 9110, section 8.4). @throws TransportError 415 for an unknown encoding */
export function decoded(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return request;
  if (!Object.hasOwn(decoders, encoding)) {
    throw new TransportError({
      status: 415,
      name: 'request',
      message: 'Content-Encoding: expected gzip, deflate or br.',
      headers: { 'accept-encoding': 'gzip, deflate, br' },
    });
  }
  const decoder = decoders[encoding as keyof typeof decoders]();
  request.once('error', (error) => decoder.destroy(error));
  request.once('close', () => request.complete || decoder.destroy(new Error('The client closed the connection.')));
  return request.pipe(decoder);
}

/** Reports whether an answer is long enough to compress and the client accepts gzip. */
export function isWorthCompressing(answer: string | Uint8Array, accepted: string | undefined): boolean {
  return answer.length >= compressedBytesMin && acceptsGzip(accepted ?? '');
}

/** Compresses at the fastest level: JSON with hexadecimal halves there, and higher levels gain little. */
export function compress(answer: string | Uint8Array): Promise<Buffer> {
  return gzipAsync(answer, { level: 1 });
}

/** Evaluates Accept-Encoding (RFC 9110, section 12.5.3). */
function acceptsGzip(accepted: string): boolean {
  for (const item of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    if (name !== 'gzip' && name !== 'x-gzip' && name !== '*') continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return weight === undefined || Number(weight.slice(2)) > 0;
  }
  return false;
}
