import { request } from 'node:http';

const boundary = 'boundary-of-parts';

/** A multipart body; contents have one character per byte. */
function bodyOf(parts) {
  const chunks = parts.flatMap(({ field = 'file', filename, type = 'application/octet-stream', content }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${field}"; filename="${filename}"\r\nContent-Type: ${type}\r\n\r\n`,
    ),
    Buffer.from(content, 'latin1'),
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]);
}

/** Sends parts to a command and reads the answer: JSON values, and the error in its trailer. */
export function exchange(url, command, { query, parts }, authorization) {
  const body = bodyOf(parts);
  const text = query.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join('&');
  const headers = {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': body.length,
    ...(authorization && { authorization }),
  };
  return new Promise((resolve, reject) => {
    const sent = request(`${url}/api/v0/${command}?${text}`, { method: 'POST', headers, agent: false }, (answer) => {
      const chunks = [];
      answer.on('data', (chunk) => chunks.push(chunk));
      answer.once('error', () => {});
      answer.once('close', () => {
        const { statusCode: status, trailers } = answer;
        resolve({
          status,
          ...readAnswer(Buffer.concat(chunks).toString(), answer.headers),
          trailer: trailers['x-stream-error'],
        });
      });
    });
    sent.setTimeout(30_000, () => sent.destroy(new Error(`${command} had no answer within 30 s`)));
    sent.once('error', reject);
    sent.end(body);
  });
}

function readAnswer(text, headers) {
  const type = headers['content-type'];
  if (type !== 'application/json') return { type, lines: [text] };
  const lines = text.split('\n').filter((line) => line !== '');
  return { type, lines: lines.map((line) => JSON.parse(line)) };
}
