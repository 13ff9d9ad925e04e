import type { IncomingMessage } from 'node:http';
import { PassThrough, pipeline, Readable } from 'node:stream';
import busboy from 'busboy';
import { ApiError } from '../api-error.ts';

/** One part of an upload. Its bytes must be read to the end before the next part comes. */
export interface UploadPart {
  readonly filename: string;
  readonly contentType: string;
  readonly bytes: AsyncIterable<Uint8Array>;
}

/** Parts of one request: each costs headers and a root. */
const partsMax = 10_000;
const fieldBytesMax = 1024 * 1024;

/**
 * The parts of a multipart/form-data body (RFC 7578), streamed: nothing is held but what is under way.
 * @throws ApiError 400 for a body that is no multipart or ends too early
 */
export async function* readParts(request: IncomingMessage, signal: AbortSignal): AsyncGenerator<UploadPart> {
  const parser = createParser(request);
  const queue: UploadPart[] = [];
  let wake = () => {};
  let failure: Error | undefined;
  let isDone = false;
  const add = (part: UploadPart) => {
    queue.push(part);
    wake();
  };
  parser.on('file', (_name, stream, { filename, mimeType }) => {
    // The parser ends the stream of a body that was cut off with an error; whoever reads it gets that one.
    stream.on('error', () => {});
    add({ filename: decodeName(filename), contentType: mimeType, bytes: stream });
  });
  parser.on('field', (_name, value, { valueTruncated, mimeType }) => {
    if (valueTruncated)
      parser.destroy(new Error(`a part without a file name may have ${fieldBytesMax} bytes; give it one`));
    else add({ filename: '', contentType: mimeType, bytes: Readable.from([Buffer.from(value)]) });
  });
  parser.on('partsLimit', () => parser.destroy(new Error(`more than ${partsMax} parts`)));
  // Through a stream of its own, since the request must outlive a parser that gives up: the answer goes the same way.
  const body = request.pipe(new PassThrough());
  request.once('close', () => {
    if (!request.complete) body.destroy(new Error('the connection was closed before the end of the body'));
  });
  pipeline(body, parser, (error) => {
    failure = error ?? undefined;
    isDone = true;
    wake();
  });
  try {
    while (true) {
      signal.throwIfAborted();
      const part = queue.shift();
      if (part !== undefined) yield part;
      else if (failure !== undefined) throw malformed(failure);
      else if (isDone) return;
      else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    request.unpipe(body);
    body.destroy();
    parser.destroy();
  }
}

function createParser(request: IncomingMessage): busboy.Busboy {
  const type = request.headers['content-type'] ?? '';
  if (!/^multipart\/form-data\b/i.test(type)) {
    throw new ApiError(400, 'expected Content-Type multipart/form-data with a part named "file"');
  }
  try {
    return busboy({
      headers: request.headers,
      preservePath: true,
      defParamCharset: 'utf8',
      highWaterMark: 256 * 1024,
      fileHwm: 256 * 1024,
      limits: { parts: partsMax, fieldSize: fieldBytesMax, headerPairs: 100 },
    });
  } catch (error) {
    throw malformed(error instanceof Error ? error : new Error(String(error)));
  }
}

/** What went wrong with the form, as an error of the wire. */
export function malformed(error: Error): ApiError {
  if (error instanceof ApiError) return error;
  return new ApiError(400, `the multipart body cannot be read: ${error.message}`);
}

/** Clients percent-encode file names, as Kubo expects; a name that only looks so is kept. */
function decodeName(filename: string | undefined): string {
  try {
    return decodeURIComponent(filename ?? '');
  } catch {
    return filename ?? '';
  }
}
