import type { IncomingMessage } from 'node:http';
import { ApiError } from '../api-v0/api-error.ts';

/** Longest body: a pin object with its metadata. */
const bodyBytesMax = 64 * 1024;
/** Milliseconds for receiving a body. */
const bodyMsMax = 30_000;

/** Reads a JSON body. @throws ApiError 400, 408, 413; the reason of the signal */
export async function readJsonBody(request: IncomingMessage, signal: AbortSignal): Promise<unknown> {
  const chunks: Buffer[] = [];
  let length = 0;
  let timer: NodeJS.Timeout | undefined;
  await new Promise<void>((resolve, reject) => {
    signal.throwIfAborted();
    signal.addEventListener('abort', () => reject(signal.reason), { once: true });
    const seconds = bodyMsMax / 1000;
    const slow = () => reject(new ApiError(408, `the body did not arrive within ${seconds} s; send the request again`));
    timer = setTimeout(slow, bodyMsMax).unref();
    request.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= bodyBytesMax) return void chunks.push(chunk);
      request.removeAllListeners('data').pause();
      reject(new ApiError(413, `the body is longer than ${bodyBytesMax} bytes; send a shorter one`));
    });
    request.once('end', resolve);
    request.once('error', reject);
  }).finally(() => clearTimeout(timer));
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.concat(chunks)));
  } catch {
    throw new ApiError(400, `the body of ${length} bytes is not JSON; send a pin object such as {"cid":"bafy…"}`);
  }
}
