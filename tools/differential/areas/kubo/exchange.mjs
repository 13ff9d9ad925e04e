import http from 'node:http';

const boundary = 'differential7MA4YWxkTrZu0gW';
const agent = new http.Agent({ keepAlive: true });

/**
 * Sends one command of the RPC API. A query is a list of pairs, so that options and arguments may repeat.
 * @param {{ url: string, authorization?: string }} server
 * @param {{ command: string, query?: readonly (readonly [string, unknown])[], parts?: readonly object[] }} request
 * @returns status, headers, trailers and body of the answer
 */
export function exchange({ url, authorization }, { command, query = [], parts }) {
  const body = parts === undefined ? Buffer.alloc(0) : multipart(parts);
  const search = query.map(([name, value]) => `${name}=${encodeURIComponent(String(value))}`).join('&');
  const headers = {
    'content-length': body.length,
    ...(authorization && { authorization }),
    ...(parts && { 'content-type': `multipart/form-data; boundary=${boundary}` }),
  };
  return new Promise((resolve, reject) => {
    const request = http.request(
      `${url}/api/v0/${command}?${search}`,
      { method: 'POST', agent, headers },
      (response) => {
        const chunks = [];
        const done = () =>
          resolve({
            status: response.statusCode,
            headers: response.headers,
            trailers: response.trailers,
            body: Buffer.concat(chunks),
          });
        response.on('data', (chunk) => chunks.push(chunk)).on('end', done);
        response.on('error', reject);
      },
    );
    request.setTimeout(60_000, () => request.destroy(new Error(`no answer to ${command} in 60 s`)));
    request.on('error', reject);
    request.end(body);
  });
}

function multipart(parts) {
  const chunks = parts.flatMap(({ name = 'file', filename, contentType = 'application/octet-stream', bytes }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${name}"${filename === undefined ? '' : `; filename="${encodeURIComponent(filename)}"`}\r\nContent-Type: ${contentType}\r\n\r\n`,
    ),
    bytes,
    Buffer.from('\r\n'),
  ]);
  return Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]);
}

/** Parses a body of JSON lines; returns the text when it contains anything else. */
export function valuesOf(body) {
  const text = body.toString('utf8');
  try {
    return text
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line));
  } catch {
    return text;
  }
}

/** Sorts fields, so that values with another order of fields are equal. */
export function canonical(value) {
  return JSON.stringify(value, (_, each) =>
    each && typeof each === 'object' && !Array.isArray(each)
      ? Object.fromEntries(Object.entries(each).sort(([a], [b]) => (a < b ? -1 : 1)))
      : each,
  );
}

const comparedHeaders = ['content-type', 'x-content-length', 'x-stream-output', 'x-chunked-output'];

/**
 * Returns the first difference of two answers: `status`, `error`, `header …`, `trailer` or `body`; undefined for equal
 * ones. `status of a bad argument` is the same text with 400 instead of Kubo's 500.
 */
export function differenceOf(cairn, peer, { isSame = sameBody } = {}) {
  const isBadArgument = cairn.status === 400 && peer.status === 500 && messageOf(cairn) === messageOf(peer);
  if (isBadArgument) return 'status of a bad argument';
  if (cairn.status !== peer.status) return 'status';
  if (cairn.status !== 200) return messageOf(cairn) === messageOf(peer) ? undefined : 'error';
  const header = comparedHeaders.find((name) => cairn.headers[name] !== peer.headers[name]);
  if (header !== undefined) return `header ${header}`;
  if (cairn.trailers['x-stream-error'] !== peer.trailers['x-stream-error']) return 'trailer';
  return isSame(cairn.body, peer.body) ? undefined : 'body';
}

function sameBody(a, b) {
  return a.equals(b) || canonical(valuesOf(a)) === canonical(valuesOf(b));
}

export function messageOf({ body }) {
  const values = valuesOf(body);
  return typeof values === 'string' ? values : values[0]?.Message;
}

/** Formats an answer for the report. */
export function shown({ status, headers, trailers, body }) {
  const compared = Object.fromEntries(comparedHeaders.map((name) => [name, headers[name]]));
  return { status, body: body.toString('utf8').slice(0, 600), trailer: trailers['x-stream-error'], ...compared };
}
