import { request } from 'node:http';

/** Sends one request on its own connection. Resolves with the status, headers, trailers and body of the answer. */
export function exchange(url, { method = 'POST', path, headers = {}, parts, body = Buffer.alloc(0) }) {
  const form = parts && multipart(parts);
  const bytes = form?.body ?? body;
  const sent = { ...form?.headers, ...headers, 'content-length': bytes.length };
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/api/v0/${path}`, { method, headers: sent, agent: false }, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.once('error', () => {});
      answer.once('close', () =>
        resolve({
          status: answer.statusCode,
          headers: answer.headers,
          trailers: answer.trailers,
          body: Buffer.concat(chunks),
          isWhole: answer.complete,
        }),
      );
    });
    asked.once('error', reject);
    asked.setTimeout(30_000, () => asked.destroy(new Error(`no answer to ${path} in 30 s`)));
    asked.end(bytes);
  });
}

function multipart(parts) {
  const boundary = 'boundary-of-the-fuzzer';
  const chunks = parts.flatMap((bytes, index) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="file"; filename="f${index}"\r\nContent-Type: application/octet-stream\r\n\r\n`,
    ),
    bytes,
    Buffer.from('\r\n'),
  ]);
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}` },
    body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

/** Removes all pins of an account, or of Kubo. */
export async function unpinAll(url, headers = {}) {
  const { body } = await exchange(url, { path: 'pin/ls?type=all', headers });
  const { Keys = {} } = JSON.parse(body.toString());
  for (const [cid, { Type }] of Object.entries(Keys))
    if (Type !== 'indirect') await exchange(url, { path: `pin/rm?arg=${cid}`, headers });
}
