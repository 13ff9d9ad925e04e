import { ObjectStoreError } from '../errors.ts';

/** Response whose body was not read. */
export interface Response {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: AsyncIterable<Uint8Array> & {
    destroy(error?: Error): unknown;
    on(event: 'error', listener: () => void): unknown;
  };
}

/** Reads a body whole. A longer one than `bytesMax` is not read. @throws OBJECT_TOO_LARGE, or an error if it ends early */
export async function readAnswerBody({ headers, body }: Response, bytesMax: number): Promise<Uint8Array> {
  const announced = headers['content-length'];
  const length = typeof announced === 'string' && /^\d{1,15}$/.test(announced) ? Number(announced) : undefined;
  if (length !== undefined && length > bytesMax) throw tooLarge(body, bytesMax);
  if (length === undefined) return readUnannounced(body, bytesMax);
  // Not from Node's pool of small buffers: a stored slice would keep 8 KiB alive.
  const bytes = Buffer.allocUnsafeSlow(length);
  let filled = 0;
  for await (const chunk of body) {
    if (filled + chunk.length > length) throw tooLarge(body, length);
    bytes.set(chunk, filled);
    filled += chunk.length;
  }
  if (filled < length) throw new Error(`the body ended after ${filled} of ${length} bytes`);
  return bytes;
}

async function readUnannounced(body: Response['body'], bytesMax: number): Promise<Uint8Array> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body) {
    length += chunk.length;
    if (length > bytesMax) throw tooLarge(body, bytesMax);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

/** Ends a response without reading it. */
export function discard(body: Response['body']): void {
  body.on('error', () => undefined);
  body.destroy();
}

function tooLarge(body: Response['body'], bytesMax: number): ObjectStoreError {
  discard(body);
  return new ObjectStoreError('OBJECT_TOO_LARGE', `The object has more than ${bytesMax} bytes.`, {
    hint: 'Read it in ranges or as a stream.',
    details: { bytesMax },
  });
}
