import type { FastAnswer } from '@cairn/service-kit';
import type { RequestMeter } from '../request-meter.ts';
import { compress, isWorthCompressing } from './content-encoding.ts';

/** An answer whose header fields may be changed: no other answer shares the object. */
export type OwnAnswer = FastAnswer & { readonly headers: Record<string, string> };

/** Builds the answer to a body, with a promise only if it is compressed. */
export function httpAnswer(
  result: string | Uint8Array | undefined,
  acceptEncoding: string | undefined,
  meter: RequestMeter,
): OwnAnswer | Promise<OwnAnswer> {
  const { headers, retryAfterSeconds } = meter;
  if (result === undefined) return { status: 204, headers, body: '' };
  headers['content-type'] = 'application/json';
  const { proofs } = meter;
  if (proofs.length > 0) headers['cairn-proof'] = proofs.length === 1 ? (proofs[0] ?? '') : proofs.join(', ');
  if (retryAfterSeconds !== undefined) {
    headers['retry-after'] = String(retryAfterSeconds);
    return { status: 429, headers, body: bodyOf(result) };
  }
  if (!isWorthCompressing(result, acceptEncoding)) return { status: 200, headers, body: bodyOf(result) };
  headers['content-encoding'] = 'gzip';
  headers.vary = 'accept-encoding';
  return compress(result).then((body) => ({ status: 200, headers, body }));
}

/** Views bytes as a Buffer without a copy. */
function bodyOf(result: string | Uint8Array): string | Buffer {
  return typeof result === 'string' ? result : Buffer.from(result.buffer, result.byteOffset, result.byteLength);
}
