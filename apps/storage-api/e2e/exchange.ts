import { type Agent, type IncomingHttpHeaders, request } from 'node:http';

/** One response with everything that Kubo's clients read. */
export interface Exchange {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly trailers: NodeJS.Dict<string>;
  readonly body: Buffer;
  /** False where the connection ended before the response did. */
  readonly isWhole: boolean;
}

export interface ExchangeRequest {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string | number>>;
  readonly body?: Uint8Array;
  /** Agent whose connections it uses. Default: a connection of its own. */
  readonly agent?: Agent;
}

/** Sends a request and reads the response with its trailers, which fetch drops. */
export function exchange(
  url: string,
  { method = 'POST', headers = {}, body = new Uint8Array(0), agent }: ExchangeRequest = {},
): Promise<Exchange> {
  return new Promise((resolve, reject) => {
    const all = { ...headers, 'content-length': body.length };
    const asked = request(url, { method, headers: all, agent: agent ?? false }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.once('error', () => {});
      answer.once('close', () =>
        resolve({
          status: answer.statusCode ?? 0,
          headers: answer.headers,
          trailers: answer.trailers,
          body: Buffer.concat(chunks),
          isWhole: answer.complete,
        }),
      );
    });
    asked.once('error', reject);
    asked.end(body);
  });
}

/** Builds a multipart body of parts with the given names, types and bytes. */
export function multipart(
  parts: readonly {
    readonly name: string;
    readonly filename?: string | undefined;
    readonly contentType?: string | undefined;
    readonly headers?: Readonly<Record<string, string>> | undefined;
    readonly bytes: Uint8Array;
  }[],
): { readonly headers: Record<string, string>; readonly body: Buffer } {
  const boundary = 'boundary-of-a-test';
  const chunks = parts.flatMap(({ name, filename, contentType = 'application/octet-stream', headers = {}, bytes }) => {
    const file = filename === undefined ? '' : `; filename="${filename}"`;
    const lines = [
      `--${boundary}`,
      `Content-Disposition: form-data; name="${name}"${file}`,
      `Content-Type: ${contentType}`,
      ...Object.entries(headers).map(([key, value]) => `${key}: ${value}`),
    ];
    return [Buffer.from(`${lines.join('\r\n')}\r\n\r\n`), bytes, Buffer.from('\r\n')];
  });
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
  };
}
