import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { promisify } from 'node:util';
import { createBrotliDecompress, createGunzip, createInflate, gzip } from 'node:zlib';
import { TransportError } from './api-key.ts';

const compress = promisify(gzip);
/** Shorter answers fit into a few packets as they are. */
const packedBytesMin = 4096;

const decoders = {
  gzip: createGunzip,
  'x-gzip': createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;

/** The body of a request without its encoding (RFC 9110, section 8.4). @throws TransportError 415 for an encoding that is not known */
export function decoded(request: IncomingMessage): Readable {
  const encoding = request.headers['content-encoding']?.trim().toLowerCase() ?? 'identity';
  if (encoding === 'identity' || encoding === '') return request;
  if (!Object.hasOwn(decoders, encoding)) {
    throw new TransportError(415, 'request', 'Content-Encoding: expected gzip, deflate or br.', {
      'accept-encoding': 'gzip, deflate, br',
    });
  }
  const decoder = decoders[encoding as keyof typeof decoders]();
  request.once('error', (error) => decoder.destroy(error));
  request.once('close', () => request.complete || decoder.destroy(new Error('the client closed the connection')));
  return request.pipe(decoder);
}

/** Whether an answer is worth packing, and the client takes it packed. */
export function isWorthPacking(answer: string | Uint8Array, accepted: string | undefined): boolean {
  return answer.length >= packedBytesMin && takesGzip(accepted ?? '');
}

/** Gzips at the fastest level: JSON of hexadecimal halves at once, and the rest is slow to come. */
export function pack(answer: string | Uint8Array): Promise<Buffer> {
  return compress(answer, { level: 1 });
}

/** RFC 9110, section 12.5.3. */
function takesGzip(accepted: string): boolean {
  for (const item of accepted.toLowerCase().split(',')) {
    const [name = '', ...parameters] = item.split(';').map((part) => part.trim());
    if (name !== 'gzip' && name !== 'x-gzip' && name !== '*') continue;
    const weight = parameters.find((parameter) => parameter.startsWith('q='));
    return weight === undefined || Number(weight.slice(2)) > 0;
  }
  return false;
}
