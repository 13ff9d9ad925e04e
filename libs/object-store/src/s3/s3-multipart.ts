import { createHash } from 'node:crypto';
import { ObjectStoreError } from '../errors.ts';
import { objectStoreLimits as limits } from '../limits.ts';
import { sha256InSlices } from '../sha256.ts';
import { failureOf, failureOfCode, type S3Answer } from './s3-errors.ts';
import type { S3Request, S3Result } from './s3-requests.ts';
import { childrenOf, escapeXml, parseXml, textOf } from './s3-xml.ts';

type Send = (request: Omit<S3Request, 'path' | 'key'>) => Promise<S3Result>;

interface UploadOptions {
  readonly send: Send;
  /** Writes a short object in one request. */
  readonly putWhole: (parts: readonly Uint8Array[]) => Promise<void>;
  readonly writeName: string;
  readonly writeNameHeader: string;
  readonly readWriteName: () => Promise<string | undefined>;
  readonly isAlwaysInParts: boolean;
  readonly signal: AbortSignal | undefined;
}

interface UploadedPart {
  readonly number: number;
  readonly etag: string;
  readonly sha256: string;
}

/** One object that is written in parts. */
export class S3Multipart {
  readonly #options: UploadOptions;
  #uploadName: string | undefined;
  readonly #uploaded: UploadedPart[] = [];
  readonly #inFlight = new Set<Promise<void>>();
  #failure: { readonly error: unknown } | undefined;

  constructor(options: UploadOptions) {
    this.#options = options;
  }

  /** Writes all bytes of a source. Memory: `partsInFlightMax` parts and one that is being filled. */
  async write(source: AsyncIterable<Uint8Array>): Promise<{ bytes: number; sha256: Uint8Array }> {
    const whole = createHash('sha256');
    let part: Uint8Array[] = [];
    let partBytes = 0;
    let bytes = 0;
    try {
      for await (const chunk of source) {
        whole.update(chunk);
        bytes += chunk.length;
        for (let rest = chunk; rest.length > 0; ) {
          const taken = rest.subarray(0, limits.partBytes - partBytes);
          // A source may reuse its buffer.
          part.push(Uint8Array.prototype.slice.call(taken));
          partBytes += taken.length;
          rest = rest.subarray(taken.length);
          if (partBytes < limits.partBytes) continue;
          await this.#start(part);
          part = [];
          partBytes = 0;
        }
      }
      if (this.#uploadName === undefined && !this.#options.isAlwaysInParts) await this.#options.putWhole(part);
      else await this.#finish(part);
      return { bytes, sha256: whole.digest() };
    } catch (error) {
      await this.#abort();
      throw error;
    }
  }

  /** Uploads a part while the next one is being filled. */
  async #start(part: readonly Uint8Array[]): Promise<void> {
    this.#uploadName ??= await this.#create();
    const number = this.#uploaded.length + this.#inFlight.size + 1;
    if (number > limits.partsMax)
      throw new ObjectStoreError('OBJECT_TOO_LARGE', `The object has more than ${limits.partsMax} parts.`, {
        hint: `Write at most ${limits.partsMax * limits.partBytes} bytes.`,
      });
    const upload = this.#uploadPart(number, part)
      .catch((error: unknown) => {
        this.#failure ??= { error };
      })
      .finally(() => this.#inFlight.delete(upload));
    this.#inFlight.add(upload);
    while (this.#inFlight.size >= limits.partsInFlightMax) await Promise.race(this.#inFlight);
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  async #finish(lastPart: readonly Uint8Array[]): Promise<void> {
    if (lastPart.length > 0) await this.#start(lastPart);
    await Promise.all(this.#inFlight);
    if (this.#failure !== undefined) throw this.#failure.error;
    await this.#complete();
  }

  async #create(): Promise<string> {
    const { send, writeName, writeNameHeader, signal } = this.#options;
    const result = await send({
      operation: 'multipart',
      method: 'POST',
      query: { uploads: '' },
      headers: { [writeNameHeader]: writeName, 'x-amz-checksum-algorithm': 'SHA256' },
      signal,
    });
    const name = textOf(childrenOf(parseXml(result.body), 'InitiateMultipartUploadResult')[0], 'UploadId');
    if (name === undefined) throw refused('began no upload');
    return name;
  }

  async #uploadPart(number: number, part: readonly Uint8Array[]): Promise<void> {
    const { send, signal } = this.#options;
    const sha256 = await sha256InSlices(part);
    const checksum = sha256.toString('base64');
    const result = await send({
      operation: 'multipart',
      method: 'PUT',
      query: { partNumber: String(number), uploadId: this.#uploadName ?? '' },
      headers: { 'x-amz-checksum-sha256': checksum },
      body: part,
      bodySha256: sha256.toString('hex'),
      signal,
    });
    const { etag } = result.headers;
    if (typeof etag !== 'string') throw refused('stored a part without an ETag');
    this.#uploaded.push({ number, etag, sha256: checksum });
  }

  async #complete(): Promise<void> {
    const { send, writeName, readWriteName, signal } = this.#options;
    const parts = this.#uploaded
      .sort((one, other) => one.number - other.number)
      .map(
        ({ number, etag, sha256 }) =>
          `<Part><PartNumber>${number}</PartNumber><ETag>${escapeXml(etag)}</ETag><ChecksumSHA256>${sha256}</ChecksumSHA256></Part>`,
      )
      .join('');
    const body = Buffer.from(
      `<CompleteMultipartUpload xmlns="http://s3.amazonaws.com/doc/2006-03-01/">${parts}</CompleteMultipartUpload>`,
    );
    const isGone = (answer: S3Answer) =>
      answer.status === 404 && failureOf(answer, undefined).s3Code === 'NoSuchUpload';
    const result = await send({
      operation: 'multipart',
      method: 'POST',
      query: { uploadId: this.#uploadName ?? '' },
      headers: { 'content-type': 'application/xml' },
      body: [body],
      bodySha256: createHash('sha256').update(body).digest('hex'),
      isAnswer: isGone,
      // The status is sent before the work is done, so that an error may follow 200.
      findFailure: (answer) =>
        childrenOf(parseXml(answer.body), 'CompleteMultipartUploadResult').length > 0
          ? undefined
          : failureOf({ ...answer, status: 500 }, undefined),
      signal,
    });
    if (!isGone(result)) return;
    // An attempt whose response was lost may have completed it.
    if (result.isRepeated && (await readWriteName()) === writeName) return;
    throw failureOfCode({ s3Code: 'NoSuchUpload', status: 404, key: undefined }).error;
  }

  /** Removes the parts. Without it the server keeps and bills them. */
  async #abort(): Promise<void> {
    await Promise.allSettled(this.#inFlight);
    if (this.#uploadName === undefined) return;
    await this.#options
      .send({
        operation: 'multipart',
        method: 'DELETE',
        query: { uploadId: this.#uploadName },
        isAnswer: ({ status }) => status === 404,
      })
      .catch(() => undefined);
  }

  /** Removes unfinished uploads below a prefix that began before a time. */
  static async abortBefore(options: {
    readonly time: Date;
    readonly prefix: string;
    /** Sends to the bucket, or to the object with this name. */
    readonly send: (request: Omit<S3Request, 'path'>, name?: string) => Promise<S3Result>;
  }): Promise<number> {
    const { time, prefix, send } = options;
    let aborted = 0;
    for (let marker: Record<string, string> | undefined = {}; marker !== undefined; ) {
      const query = { uploads: '', prefix, ...marker };
      const result = await send({ operation: 'list', method: 'GET', query });
      const page = childrenOf(parseXml(result.body), 'ListMultipartUploadsResult')[0];
      for (const upload of childrenOf(page, 'Upload')) {
        const name = textOf(upload, 'Key');
        const uploadId = textOf(upload, 'UploadId');
        const began = Date.parse(textOf(upload, 'Initiated') ?? '');
        if (name === undefined || uploadId === undefined || !name.startsWith(prefix)) continue;
        if (Number.isNaN(began) || began >= time.getTime()) continue;
        const isAnswer = ({ status }: S3Answer) => status === 404;
        await send({ operation: 'multipart', method: 'DELETE', query: { uploadId }, isAnswer }, name);
        aborted++;
      }
      const [key, upload] = [textOf(page, 'NextKeyMarker'), textOf(page, 'NextUploadIdMarker')];
      const isMore = textOf(page, 'IsTruncated') === 'true' && key !== undefined;
      marker = isMore ? { 'key-marker': key, ...(upload !== undefined && { 'upload-id-marker': upload }) } : undefined;
    }
    return aborted;
  }
}

function refused(problem: string): ObjectStoreError {
  return new ObjectStoreError('OBJECT_STORE_REFUSED', `The object store ${problem}.`, {
    hint: 'See the log of the object store.',
  });
}
