import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import { SignatureV4 } from '@smithy/signature-v4';
import type { S3CredentialSource } from './s3-credentials.ts';

export interface UnsignedRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body in hex. The server refuses another body. */
  readonly bodySha256: string;
}

/** Hash interface of @smithy over Node's crypto. */
class Sha256 {
  readonly #hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.#hash = secret === undefined ? createHash('sha256') : createHmac('sha256', secretBytes(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.#hash.update(secretBytes(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.#hash.digest();
  }

  reset(): void {}
}

function secretBytes(data: string | ArrayBuffer | ArrayBufferView): string | Uint8Array {
  if (typeof data === 'string') return data;
  return ArrayBuffer.isView(data)
    ? new Uint8Array(data.buffer, data.byteOffset, data.byteLength)
    : new Uint8Array(data);
}

/** Signs requests (AWS Signature Version 4), and follows the clock of the server if it refuses ours. */
export class S3Signer {
  readonly #signer: SignatureV4;
  readonly #endpoint: URL;
  /** Milliseconds between the server's clock and ours. */
  #clockOffset = 0;

  constructor(options: {
    readonly credentials: S3CredentialSource;
    readonly region: string;
    readonly endpoint: string;
  }) {
    const { credentials, region, endpoint } = options;
    this.#endpoint = new URL(endpoint);
    this.#signer = new SignatureV4({
      service: 's3',
      region,
      credentials: typeof credentials === 'function' ? async () => credentials() : credentials,
      sha256: Sha256,
      uriEscapePath: false,
      applyChecksum: true,
    });
  }

  /** Returns the headers to send. */
  async sign(request: UnsignedRequest): Promise<Record<string, string>> {
    const { host, hostname, protocol } = this.#endpoint;
    const { method, path, query, headers, bodySha256 } = request;
    const signed = await this.#signer.sign(
      {
        method,
        protocol,
        hostname,
        path,
        query: { ...query },
        headers: { host, ...headers, 'x-amz-content-sha256': bodySha256 },
      },
      { signingDate: new Date(Date.now() + this.#clockOffset) },
    );
    return { ...signed.headers };
  }

  /** Uses the clock of the server from now on. */
  followClock(date: string): void {
    const time = Date.parse(date);
    if (!Number.isNaN(time)) this.#clockOffset = time - Date.now();
  }
}
