import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { openS3ObjectStore, type S3ObjectStoreOptions } from './s3-object-store.ts';

type Answer = (request: IncomingMessage, response: ServerResponse, body: Buffer) => void;

interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    server.close();
  }
});

const secretAccessKey = 'Very+Secret/Key=';

/** Server that gives one answer after another; the last one repeats. */
async function setUp(answers: readonly Answer[], options: Partial<S3ObjectStoreOptions> = {}) {
  const received: Received[] = [];
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const body = Buffer.concat(chunks);
      const { method = '', url: path = '', headers } = request;
      const answer = answers[Math.min(received.length, answers.length - 1)];
      received.push({ method, path, headers, body });
      answer?.(request, response, body);
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const store = await openS3ObjectStore({
    url: `s3://bucket/p?endpoint=http://127.0.0.1:${port}&region=eu-test-1`,
    credentials: { accessKeyId: 'AKID', secretAccessKey, sessionToken: 'token' },
    probe: false,
    ...options,
  });
  return { store, received };
}

const ok: Answer = (_, response) => response.writeHead(200, { etag: '"e"' }).end();
const bytes =
  (text: string, headers: Record<string, string> = {}): Answer =>
  (_, response) =>
    response.writeHead(headers['content-range'] === undefined ? 200 : 206, headers).end(text);
const error =
  (status: number, code?: string): Answer =>
  (_, response) =>
    response
      .writeHead(status)
      .end(code && `<?xml version="1.0"?><Error><Code>${code}</Code><Message>${secretAccessKey}</Message></Error>`);
const cut: Answer = (request) => request.socket.destroy();

test('a request is signed, without the secret in it', async () => {
  const { store, received } = await setUp([ok]);
  await store.put('a/b', Buffer.from('body'));
  const [request] = received;
  expect(request?.path).toBe('/bucket/p/a/b');
  expect(request?.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKID\/\d{8}\/eu-test-1\/s3\/aws4_request/,
  );
  expect(request?.headers['x-amz-security-token']).toBe('token');
  expect(request?.headers['x-amz-content-sha256']).toBe(createHash('sha256').update('body').digest('hex'));
  expect(JSON.stringify(request)).not.toContain(secretAccessKey);
  await store.close();
});

test.each([
  [403, 'AccessDenied', 'OBJECT_STORE_DENIED', 1],
  [403, 'InvalidAccessKeyId', 'OBJECT_STORE_DENIED', 1],
  [403, 'QuotaExceeded', 'OBJECT_STORE_FULL', 1],
  [400, 'XMinioAdminBucketQuotaExceeded', 'OBJECT_STORE_FULL', 1],
  [507, undefined, 'OBJECT_STORE_FULL', 1],
  [404, 'NoSuchKey', 'OBJECT_NOT_FOUND', 1],
  [404, 'NoSuchBucket', 'OBJECT_BUCKET_NOT_FOUND', 1],
  [416, 'InvalidRange', 'OBJECT_RANGE_INVALID', 1],
  [400, 'BadDigest', 'OBJECT_CHECKSUM_MISMATCH', 1],
  [400, 'XAmzContentSHA256Mismatch', 'OBJECT_CHECKSUM_MISMATCH', 1],
  [400, 'MalformedXML', 'OBJECT_STORE_REFUSED', 1],
  [501, 'NotImplemented', 'OBJECT_STORE_REFUSED', 1],
  [500, 'InternalError', 'OBJECT_STORE_UNAVAILABLE', 5],
  [503, 'SlowDown', 'OBJECT_STORE_BUSY', 5],
  [429, undefined, 'OBJECT_STORE_BUSY', 5],
])('status %d %s is reported as %s after %d requests', async (status, code, expected, requests) => {
  const { store, received } = await setUp([error(status, code)]);
  const thrown = await store.get('key').catch((reason: unknown) => reason);
  expect(thrown).toMatchObject({ code: expected, hint: expect.any(String), details: { status } });
  expect(received).toHaveLength(requests);
  expect(JSON.stringify([thrown, String(thrown)])).not.toContain(secretAccessKey);
  expect(store.traffic().get).toMatchObject({ requests, failures: requests });
  await store.close();
});

test.each([
  ['503 SlowDown', error(503, 'SlowDown')],
  ['a lost connection', cut],
  ['a response that ends early', bytes('cut', { 'content-length': '100' })],
])('a read succeeds after %s', async (_, fault) => {
  const { store, received } = await setUp([
    (request, response, body) => {
      fault(request, response, body);
      if (response.headersSent) setTimeout(() => request.socket.destroy(), 5);
    },
    bytes('whole'),
  ]);
  expect(Buffer.from(await store.get('key')).toString()).toBe('whole');
  expect(received).toHaveLength(2);
  await store.close();
});

test('a conditional write whose response was lost recognizes its own object', async () => {
  let written: string | undefined;
  const { store, received } = await setUp([
    (request, response, body) => {
      written = String(request.headers['x-amz-meta-cairn-write']);
      cut(request, response, body);
    },
    error(412, 'PreconditionFailed'),
    (_, response) => response.writeHead(200, { 'x-amz-meta-cairn-write': written }).end(),
  ]);
  await store.put('key', Buffer.from('1'), { ifAbsent: true });
  expect(received.map(({ method }) => method)).toEqual(['PUT', 'PUT', 'HEAD']);
  await store.close();
});

test('a conditional write whose response was lost does not take the object of another writer for its own', async () => {
  const other: Answer = (_, response) => response.writeHead(200, { 'x-amz-meta-cairn-write': 'other' }).end();
  const { store } = await setUp([cut, error(412, 'PreconditionFailed'), other]);
  await expect(store.put('key', Buffer.from('1'), { ifAbsent: true })).rejects.toMatchObject({ code: 'OBJECT_EXISTS' });
  await store.close();
});

test('a write is not done when a proxy answers 200 in place of the server', async () => {
  const { store, received } = await setUp([bytes('<html>proxy</html>'), ok]);
  await store.put('key', Buffer.from('1'));
  expect(received).toHaveLength(2);
  await store.close();
  const other = await setUp([bytes('<html>proxy</html>')]);
  await expect(other.store.put('key', Buffer.from('1'))).rejects.toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE' });
  await other.store.close();
});

test('the pause that a busy server asks for reaches the caller', async () => {
  const busy: Answer = (_, response) => response.writeHead(503, { 'retry-after': '7' }).end();
  const { store } = await setUp([busy]);
  const details = { retryAfterSeconds: 7 };
  await expect(store.get('key')).rejects.toMatchObject({ code: 'OBJECT_STORE_BUSY', details });
  await store.close();
});

test('a conditional write that meets an object at its first attempt costs one request', async () => {
  const { store, received } = await setUp([error(412, 'PreconditionFailed')]);
  await expect(store.put('key', Buffer.from('1'), { ifAbsent: true })).rejects.toMatchObject({ code: 'OBJECT_EXISTS' });
  expect(received).toHaveLength(1);
  expect(store.traffic().put.failures).toBe(0);
  await store.close();
});

test('a server that does not answer is reported after the time of the call', async () => {
  const { store } = await setUp([() => undefined], { idleMs: 100_000, callMs: 200 });
  const reading = store.get('key');
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(store.traffic().get.open).toBe(1);
  await expect(reading).rejects.toMatchObject({
    code: 'OBJECT_STORE_UNAVAILABLE',
    details: { retryAfterSeconds: 1 },
  });
  expect(store.traffic().get).toMatchObject({ requests: 1, failures: 1, open: 0 });
  await store.close();
});

test('a call to a server that hangs ends after two attempts, and the next ones after one until it answers', async () => {
  const silent: Answer = () => undefined;
  const { store, received } = await setUp([silent, silent, silent, ok, silent, silent], { idleMs: 100 });
  const put = () => store.put('key', Buffer.from('1'));
  const unavailable = { code: 'OBJECT_STORE_UNAVAILABLE', details: { retryAfterSeconds: 1 } };
  for (const requests of [2, 3]) {
    await expect(put()).rejects.toMatchObject(unavailable);
    expect(received).toHaveLength(requests);
  }
  await put();
  await expect(put()).rejects.toMatchObject(unavailable);
  expect(received).toHaveLength(6);
  await store.close();
});

test('an abort ends a waiting request and a pause between attempts', async () => {
  for (const answer of [() => undefined, error(503, 'SlowDown')] satisfies Answer[]) {
    const { store } = await setUp([answer]);
    const reason = new Error('stopped');
    const controller = new AbortController();
    const waiting = store.get('key', { signal: controller.signal });
    setTimeout(() => controller.abort(reason), 30);
    await expect(waiting).rejects.toBe(reason);
    await store.close();
  }
});

test('close ends a waiting request', async () => {
  const { store } = await setUp([() => undefined]);
  const waiting = store.get('key');
  setTimeout(() => store.close(), 30);
  await expect(waiting).rejects.toMatchObject({ code: 'OBJECT_STORE_CLOSED' });
});

test('an answer of more bytes than the limit is not read', async () => {
  let sent = 0;
  const endless: Answer = (_, response) => {
    response.writeHead(200, { 'transfer-encoding': 'chunked' });
    const chunk = Buffer.alloc(65_536);
    const more = () => {
      while (!response.destroyed && response.write(chunk)) sent += chunk.length;
      if (!response.destroyed) response.once('drain', more);
    };
    more();
  };
  const { store } = await setUp([endless]);
  await expect(store.get('key', { bytesMax: 100_000 })).rejects.toMatchObject({ code: 'OBJECT_TOO_LARGE' });
  expect(sent).toBeLessThan(50_000_000);
  await store.close();
});

test('bytes that differ from the checksum of the server are refused', async () => {
  const checksum = createHash('sha256').update('right').digest('base64');
  const { store } = await setUp([bytes('wrong', { 'x-amz-checksum-sha256': checksum })]);
  await expect(store.get('key')).rejects.toMatchObject({ code: 'OBJECT_CHECKSUM_MISMATCH' });
  await store.close();
});

test('a server that ignores a range is reported', async () => {
  const { store } = await setUp([bytes('whole object')]);
  await expect(store.get('key', { range: { offset: 2, length: 3 } })).rejects.toMatchObject({
    code: 'OBJECT_STORE_UNFIT',
  });
  await store.close();
});

test('the clock of the server is used after it refused that of this machine', async () => {
  const date = new Date(Date.now() + 3_600_000).toUTCString();
  const skewed: Answer = (_, response) =>
    response.writeHead(403, { date }).end('<Error><Code>RequestTimeTooSkewed</Code></Error>');
  const { store, received } = await setUp([skewed, bytes('x')]);
  await store.get('key');
  const [first, second] = received.map(({ headers }) => String(headers['x-amz-date']));
  expect(second?.slice(0, 11)).not.toBe(first?.slice(0, 11));
  await store.close();
});

test('a page of a list that is no list is an error, not the end of the list', async () => {
  const { store } = await setUp([bytes('<html>proxy</html>')]);
  const listing = (async () => {
    for await (const { key } of store.list('')) expect(key).toBeUndefined();
  })();
  await expect(listing).rejects.toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE' });
  await store.close();
});

test('an object that could not be deleted is an error, although the status is 200', async () => {
  const result = '<DeleteResult><Error><Key>p/a</Key><Code>AccessDenied</Code></Error></DeleteResult>';
  const { store } = await setUp([bytes(result)]);
  await expect(store.deleteMany(['a'])).rejects.toMatchObject({ code: 'OBJECT_STORE_DENIED' });
  await store.close();
});

test('a failed upload in parts removes its parts, and an error after status 200 is a failure', async () => {
  const { store, received } = await setUp([
    bytes('<InitiateMultipartUploadResult><UploadId>u&amp;1</UploadId></InitiateMultipartUploadResult>'),
    (_, response) => response.writeHead(200, { etag: '"e"' }).end(),
    bytes('<Error><Code>AccessDenied</Code></Error>'),
    ok,
  ]);
  const written = store.putStream(
    'key',
    (async function* () {
      yield Buffer.from('short');
    })(),
    { isAlwaysInParts: true },
  );
  await expect(written).rejects.toMatchObject({ code: 'OBJECT_STORE_DENIED' });
  expect(received.at(-1)).toMatchObject({ method: 'DELETE', path: '/bucket/p/key?uploadId=u%261' });
  await store.close();
});

test('the probe names what a server lacks', async () => {
  const objects = new Map<string, Buffer>();
  const careless: Answer = (request, response, body) => {
    const key = request.url ?? '';
    if (request.method === 'PUT') objects.set(key, body);
    if (request.method === 'PUT') return response.writeHead(200, { etag: '"e"' }).end();
    const stored = objects.get(key);
    return stored === undefined ? response.writeHead(404).end() : response.writeHead(200).end(stored);
  };
  const probed = setUp([careless], { probe: true });
  await expect(probed).rejects.toMatchObject({
    code: 'OBJECT_STORE_UNFIT',
    message: expect.stringContaining('conditional writes (If-None-Match), checksums (SHA-256)'),
  });
});
