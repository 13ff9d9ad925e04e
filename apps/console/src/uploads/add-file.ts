import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Upstream } from '../upstream.ts';
import { rootOfAdd } from './add-answer.ts';
import type { ReceivedUpload } from './resumable-uploads.ts';

/** Adds and pins a received file for an account, as a multipart body (RFC 7578). @returns its CID @throws refusals of the storage API */
export async function addFile(
  upstream: Pick<Upstream, 'storage'>,
  accountId: string,
  { name, upload, signal }: { readonly name: string; readonly upload: ReceivedUpload; readonly signal: AbortSignal },
): Promise<string> {
  const boundary = `cairn-${randomUUID()}`;
  const head = Buffer.from(
    `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="${encodeURIComponent(name || 'file')}"\r\n` +
      'Content-Type: application/octet-stream\r\n\r\n',
  );
  const end = Buffer.from(`\r\n--${boundary}--\r\n`);
  const options = new URLSearchParams({ pin: 'true', ...(name !== '' && { 'pin-name': name }) });
  const answer = await upstream.storage(accountId, `add?${options}`, {
    body: Readable.from(parts(head, upload, end), { objectMode: false }),
    headers: {
      'content-type': `multipart/form-data; boundary=${boundary}`,
      'content-length': String(head.length + upload.bytes + end.length),
    },
    signal,
  });
  return (await rootOfAdd(answer)).Hash;
}

async function* parts(head: Buffer, upload: ReceivedUpload, end: Buffer): AsyncGenerator<Buffer> {
  yield head;
  yield* upload.read();
  yield end;
}
