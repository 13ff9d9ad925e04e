import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { basic, noise, Service } from './service.ts';

const service = new Service();
beforeAll(async () => {
  await service.makeAccounts();
  await service.start({ STORAGE_BLOCK_WAIT_SECONDS: '0' });
});
afterAll(() => service.remove());

const MiB = 1024 * 1024;

/** Sends raw bytes. Resolves with all received bytes when the connection ends or stays silent. */
function sendRaw(head: string, body: Uint8Array): Promise<string> {
  return new Promise((resolve, reject) => {
    const { hostname, port } = new URL(service.url);
    const socket = connect(Number(port), hostname, () => {
      socket.write(head);
      socket.write(body);
    });
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.once('close', () => resolve(Buffer.concat(chunks).toString('latin1')));
    // A server that refuses closes before it has read everything.
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNRESET' || error.code === 'EPIPE') resolve(Buffer.concat(chunks).toString('latin1'));
      else reject(error);
    });
    socket.setTimeout(20_000, () => socket.destroy(new Error('no answer in 20 s')));
  });
}

function head(path: string, contentType: string, length: number): string {
  return [
    `POST /api/v0/${path} HTTP/1.1`,
    'host: localhost',
    `authorization: ${basic('ann')}`,
    `content-type: ${contentType}`,
    `content-length: ${length}`,
    'connection: close',
    '\r\n',
  ].join('\r\n');
}

/** Checks a response of Kubo's form: success, or an error without internals. */
function expectHonest(answer: string): void {
  expect(answer).toMatch(/^HTTP\/1\.1 \d{3} /);
  expect(answer).not.toMatch(/node_modules|\.[tj]s:\d+|\bat async\b|internal error/);
  const status = Number(answer.slice(9, 12));
  if (status === 200) return;
  expect(status).toBeGreaterThanOrEqual(400);
  expect(answer).toMatch(/\{"Message":".+","Code":\d,"Type":"error"\}/);
}

const wellFormed = Buffer.from(
  [
    '--fuzz',
    'Content-Disposition: form-data; name="file"; filename="dir"',
    'Content-Type: application/x-directory',
    '',
    '',
    '--fuzz',
    'Content-Disposition: form-data; name="file"; filename="dir%2Ffile.bin"',
    'Content-Type: application/octet-stream',
    'mode: 0644',
    'mtime: 1700000000',
    '',
    'some content',
    '--fuzz',
    'Content-Disposition: form-data; name="file"; filename="dir%2Flink"',
    'Content-Type: application/symlink',
    '',
    'file.bin',
    '--fuzz--',
    '',
  ].join('\r\n'),
);

/** Makes a few changes: bytes replaced, removed, doubled. */
const mutation = fc.record({
  at: fc.nat(wellFormed.length - 1),
  kind: fc.constantFrom('replace', 'cut', 'double', 'end'),
  bytes: fc.uint8Array({ maxLength: 12 }),
  length: fc.integer({ min: 1, max: 40 }),
});

function mutate(
  bytes: Uint8Array,
  { at, kind, bytes: other, length }: typeof mutation extends fc.Arbitrary<infer T> ? T : never,
) {
  const parts = {
    replace: [bytes.subarray(0, at), other, bytes.subarray(at + other.length)],
    cut: [bytes.subarray(0, at), bytes.subarray(at + length)],
    double: [bytes.subarray(0, at + length), bytes.subarray(at)],
    end: [bytes.subarray(0, at)],
  };
  return Buffer.concat(parts[kind as keyof typeof parts]);
}

test('multipart bodies with random faults get a response', async () => {
  const options = fc.constantFrom(
    '',
    '?only-hash=true',
    '?wrap-with-directory=true&cid-version=1',
    '?progress=true&to-files=/',
  );
  await fc.assert(
    fc.asyncProperty(fc.array(mutation, { minLength: 1, maxLength: 3 }), options, async (mutations, query) => {
      const body = mutations.reduce<Uint8Array>(mutate, wellFormed);
      expectHonest(await sendRaw(head(`add${query}`, 'multipart/form-data; boundary=fuzz', body.length), body));
    }),
    { numRuns: 200 },
  );
  expect(await service.echo('still here')).toBe('still here');
});

const commands = [
  'cat',
  'get',
  'ls',
  'refs',
  'resolve',
  'pin/add',
  'pin/rm',
  'pin/ls',
  'block/get',
  'block/stat',
  'block/rm',
  'dag/get',
  'dag/resolve',
  'dag/stat',
  'dag/export',
  'files/ls',
  'files/stat',
  'files/read',
  'files/rm',
  'files/cp',
];

/** Texts that look like CIDs and paths, and some that do not. */
const argument = fc.oneof(
  fc.string({ maxLength: 80 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.stringMatching(/^(\/ipfs\/)?(Qm|bafy|bafkrei|z|f01|u|k51)[a-zA-Z0-9]{0,80}(\/[^/]{0,10}){0,3}$/),
  fc.constantFrom(
    '/',
    '//',
    '/ipfs/',
    '/ipns/example.com',
    '..',
    `/${'a/'.repeat(2000)}`,
    // An identity CID of 200 bytes, and one with a wrong length.
    `f0155 00c801${'00'.repeat(200)}`.replace(' ', ''),
    'f0155007f00',
    `f0155${'ff'.repeat(20)}`,
  ),
);

test('arguments that are no CIDs and no paths get an error', async () => {
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...commands), fc.array(argument, { maxLength: 3 }), async (command, args) => {
      const query = new URLSearchParams(args.map((arg): [string, string] => ['arg', arg]));
      const answer = await service.post(`${command}?${query}`);
      const text = await answer.text();
      expect(text).not.toMatch(/node_modules|\.[tj]s:\d+|\bat async\b|internal error/);
      // Matches Kubo: a missing argument is plain text, and every other error has a JSON body.
      if (answer.status === 400 && answer.headers.get('content-type')?.startsWith('text/plain'))
        expect(text).toMatch(/^argument ".+" is required\n$/);
      else if (!answer.ok)
        expect(JSON.parse(text)).toEqual({ Message: expect.any(String), Code: expect.any(Number), Type: 'error' });
    }),
    { numRuns: 400 },
  );
  expect(await service.echo('still here')).toBe('still here');
});

test('bodies that are no CAR, no dag-cbor, no dag-json get an error', async () => {
  const paths = fc.constantFrom(
    'dag/import',
    'dag/put?input-codec=dag-cbor&store-codec=dag-cbor',
    'dag/put?input-codec=dag-json',
    'dag/put?input-codec=dag-pb&store-codec=dag-pb',
    'block/put?cid-codec=dag-cbor',
    'block/put?cid-codec=raw&mhtype=sha2-512',
  );
  const content = fc.oneof(
    fc.uint8Array({ maxLength: 200 }),
    fc.json().map((text) => Buffer.from(text)),
    // The header of a CAR, then random bytes.
    fc.uint8Array({ maxLength: 100 }).map((rest) => Buffer.concat([Buffer.from('3aa265726f6f7473', 'hex'), rest])),
  );
  await fc.assert(
    fc.asyncProperty(paths, content, async (path, bytes) => {
      const form = new FormData();
      form.set('file', new Blob([bytes]), 'file');
      const answer = await service.post(path, { body: form });
      const text = await answer.text();
      expect(text).not.toMatch(/node_modules|\.[tj]s:\d+|\bat async\b|internal error/);
      if (!answer.ok)
        expect(JSON.parse(text)).toEqual({ Message: expect.any(String), Code: expect.any(Number), Type: 'error' });
    }),
    { numRuns: 200 },
  );
  expect(await service.echo('still here')).toBe('still here');
});

describe('expensive bodies cost little', () => {
  const multipart = (parts: Iterable<Buffer>) => Buffer.concat([...parts, Buffer.from('--fuzz--\r\n')]);
  const part = (name: string, content: Uint8Array, headers = '') =>
    Buffer.concat([
      Buffer.from(`--fuzz\r\nContent-Disposition: form-data; name="file"; filename="${name}"\r\n${headers}\r\n`),
      content,
      Buffer.from('\r\n'),
    ]);

  test.each([
    ['headers without end', () => multipart([part('f', Buffer.of(), `x-long: ${'y'.repeat(4 * MiB)}\r\n`)])],
    ['many headers', () => multipart([part('f', Buffer.of(), 'x-many: 1\r\n'.repeat(100_000))])],
    ['a path as deep as it goes', () => multipart([part('d/'.repeat(50_000), Buffer.of())])],
    ['an endless preamble', () => Buffer.alloc(8 * MiB, 'preamble ')],
    ['a boundary that almost comes, again and again', () => Buffer.alloc(8 * MiB, '\r\n--fuz')],
  ])('%s', async (_, make) => {
    const body = make();
    const answer = await sendRaw(head('add', 'multipart/form-data; boundary=fuzz', body.length), body);
    expectHonest(answer);
    expect(answer).not.toMatch(/^HTTP\/1\.1 2/);
    expect(await service.echo('still here')).toBe('still here');
  });

  test('too many parts are refused', async () => {
    const body = multipart(Array.from({ length: 200_001 }, (_, n) => part(`f${n}`, Buffer.of())));
    const query = 'add?only-hash=true&silent=true';
    const answer = await sendRaw(head(query, 'multipart/form-data; boundary=fuzz', body.length), body);
    expectHonest(answer);
    expect(answer).toMatch(/more than 200000 parts/);
    expect(await service.echo('still here')).toBe('still here');
  });

  test('dag-cbor of the greatest depth', async () => {
    const form = new FormData();
    form.set('file', new Blob([Buffer.alloc(MiB, 0x81)]), 'deep');
    const answer = await service.post('dag/put?input-codec=dag-cbor&store-codec=dag-cbor', { body: form });
    expect([answer.status, JSON.parse(await answer.text()).Type]).toEqual([expect.any(Number), 'error']);
    expect(await service.echo('still here')).toBe('still here');
  });

  test('dag-json of the greatest depth', async () => {
    const form = new FormData();
    form.set('file', new Blob([`${'['.repeat(500_000)}${']'.repeat(500_000)}`]), 'deep');
    const answer = await service.post('dag/put?input-codec=dag-json', { body: form });
    expect([answer.ok, JSON.parse(await answer.text()).Type]).toEqual([false, 'error']);
    expect(await service.echo('still here')).toBe('still here');
  });

  test('a block over 2 MiB is refused with the reason', async () => {
    const form = new FormData();
    form.set('file', new Blob([noise(2 * MiB + 1)]), 'block');
    const answer = await service.post('block/put?cid-codec=raw', { body: form });
    const { Message } = (await answer.json()) as { Message: string };
    expect([answer.status, Message]).toEqual([400, expect.stringMatching(/2 ?MiB|2097152|too (big|large)/)]);
  });

  test('the memory of the process did not grow', () => {
    expect(service.memoryPeakMib).toBeLessThan(300);
  });
});
