import { Agent } from 'node:http';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type ExchangeRequest, exchange, multipart } from './exchange.ts';
import { basic, noise, Service } from './service.ts';

// Form of every response, as Kubo 0.42 sends it: status, headers, trailers, and plain text for refused requests.
const service = new Service();
const missing = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy';
const cid = 'QmVr26fY1tKyspEJBniVhqxQeEjhF78XerGiqWAwraVLQH';

beforeAll(async () => {
  await service.makeAccounts();
  await service.start({ STORAGE_BLOCK_WAIT_SECONDS: '0' });
  await service.add('Hello Worlds!\n');
});
afterAll(() => service.remove());

const ask = (path: string, { headers = {}, ...rest }: ExchangeRequest = {}) =>
  exchange(`${service.url}/api/v0/${path}`, { ...rest, headers: { authorization: basic('ann'), ...headers } });

/** Headers that Kubo's clients read. */
function shape({ status, headers }: Awaited<ReturnType<typeof ask>>) {
  const kind = ['x-chunked-output', 'x-stream-output'].filter((name) => headers[name] === '1');
  return [status, headers['content-type'], headers.trailer, ...kind];
}

describe('headers', () => {
  test.each([
    ['version', 'application/json'],
    [`block/stat?arg=${cid}`, 'application/json'],
    [`ls?arg=${cid}`, 'application/json'],
    [`ls?arg=${cid}&stream=true`, 'application/json', 'x-chunked-output'],
    [`pin/ls`, 'application/json'],
    [`pin/ls?stream=true`, 'application/json', 'x-chunked-output'],
    ['files/mkdir?arg=/made', 'application/json', 'x-chunked-output'],
    [`refs?arg=${cid}`, 'application/json', 'x-chunked-output'],
    [`dag/stat?arg=${cid}`, 'application/json', 'x-chunked-output'],
    [`cat?arg=${cid}`, 'text/plain', 'x-stream-output'],
    [`dag/get?arg=${cid}`, 'text/plain', 'x-stream-output'],
    [`block/get?arg=${cid}`, 'application/vnd.ipld.raw', 'x-stream-output'],
    [`dag/export?arg=${cid}`, 'application/vnd.ipld.car', 'x-stream-output'],
  ])('%s answers with %s and announces the error trailer', async (path, type, ...kind) => {
    expect(shape(await ask(path))).toEqual([200, type, 'X-Stream-Error', ...kind]);
  });

  test('an error of a command is JSON and announces the trailer too', async () => {
    expect(shape(await ask(`cat?arg=${missing}`))).toEqual([500, 'application/json', 'X-Stream-Error']);
  });

  test('JSON has the characters escaped that Kubo escapes', async () => {
    expect(`${(await ask('files/rm?arg=/a%26b%3Cc%3E')).body}`).toBe(
      `${String.raw`"/a\u0026b\u003cc\u003e: file does not exist"`}\n`,
    );
    expect(`${(await ask('pin/add?arg=%26')).body}`).toContain(String.raw`\"\u0026\"`);
  });

  test('a path that curl sends without percent-encoding names the same file', async () => {
    const socket = connect(Number(new URL(service.url).port), '127.0.0.1');
    const head = `Host: here\r\nAuthorization: ${basic('ann')}\r\nContent-Length: 0\r\n\r\n`;
    socket.write(`POST /api/v0/files/mkdir?arg=/über%20uns HTTP/1.1\r\n${head}`);
    expect(await text(socket)).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    const { body } = await ask(`files/ls?arg=/`);
    expect(JSON.parse(`${body}`).Entries.map(({ Name }: { Name: string }) => Name)).toContain('über uns');
  });

  test('an HTTP/1.0 client, such as a proxy, gets the bytes without chunks and trailers', async () => {
    const { port } = new URL(service.url);
    const socket = connect(Number(port), '127.0.0.1');
    socket.end(`POST /api/v0/cat?arg=${cid} HTTP/1.0\r\nAuthorization: ${basic('ann')}\r\nContent-Length: 0\r\n\r\n`);
    const answer = await text(socket);
    expect(answer).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
    expect(answer).not.toMatch(/trailer|transfer-encoding/i);
    expect(answer.endsWith('\r\n\r\nHello Worlds!\n')).toBe(true);
  });
});

test('a body with parts that no command reads does not block the next request of its connection', async () => {
  const { headers, body } = multipart([
    { name: 'file', filename: 'cids', bytes: Buffer.from(cid) },
    { name: 'file', filename: 'unread', bytes: noise(4 * 1024 * 1024) },
  ]);
  const agent = new Agent({ keepAlive: true, maxSockets: 1 });
  const authorized = { authorization: basic('ann') };
  const first = await exchange(`${service.url}/api/v0/cid/base32`, {
    headers: { ...authorized, ...headers },
    body,
    agent,
  });
  const second = await exchange(`${service.url}/api/v0/version`, { headers: authorized, agent });
  agent.destroy();
  expect([first.status, second.status]).toEqual([200, 200]);
}, 30_000);

describe('refused requests', () => {
  test.each([
    ['POST', 'cat', 400, 'argument "ipfs-path" is required\n'],
    ['POST', 'files/write', 400, 'argument "path" is required\n'],
    ['POST', 'files/write?arg=/x', 400, "file argument 'data' is required\n"],
    [
      'POST',
      'get?arg=/foo/bar&output=a&output=b',
      400,
      'expected key output to have only a single value, received [a b]\n',
    ],
    ['POST', 'pin/update', 400, 'argument "from-path" is required\n'],
    ['POST', `pin/update?arg=${cid}`, 400, 'argument "to-path" is required\n'],
    ['POST', 'nosuch', 404, '404 page not found\n'],
    ['POST', 'pin/nosuch', 404, '404 page not found\n'],
    ['POST', 'Version', 404, '404 page not found\n'],
    ['POST', `refs/${cid}/more`, 404, '404 page not found\n'],
    ['GET', 'version', 405, '405 - Method Not Allowed\n'],
    ['PUT', 'version', 405, '405 - Method Not Allowed\n'],
  ])('%s %s answers %i as plain text', async (method, path, status, body) => {
    const answer = await ask(path, { method });
    expect([answer.status, answer.headers['content-type'], answer.body.toString()]).toEqual([
      status,
      'text/plain; charset=utf-8',
      body,
    ]);
  });

  test('OPTIONS lists the methods', async () => {
    const { status, headers } = await ask('version', { method: 'OPTIONS' });
    expect([status, headers.allow]).toEqual([204, 'OPTIONS, POST']);
  });
});

describe('paths of commands', () => {
  test('the last part of a path is an argument where it is not part of a command name', async () => {
    for (const path of [`cat/${cid}`, `block/get/${cid}`, `refs/${cid}`, 'version/']) {
      expect([path, (await ask(path)).status]).toEqual([path, 200]);
    }
    expect((await ask(`cat/${cid}`)).body.toString()).toBe('Hello Worlds!\n');
  });

  test('an upload to an address with a doubled slash is redirected and repeated by the client', async () => {
    const head = 'Content-Disposition: form-data; name="file"; filename="hello.txt"';
    const answer = await fetch(`${service.url}//api/v0/add`, {
      method: 'POST',
      headers: { ...service.headers(), 'content-type': 'multipart/form-data; boundary=b' },
      body: `--b\r\n${head}\r\n\r\nHello Worlds!\n\r\n--b--\r\n`,
    });
    expect([answer.redirected, answer.status, await answer.json()]).toEqual([
      true,
      200,
      { Name: 'hello.txt', Hash: cid, Size: '22' },
    ]);
    expect(await ask(`/cat?arg=${cid}`)).toMatchObject({
      status: 307,
      headers: { location: `/api/v0/cat?arg=${cid}` },
    });
  });

  test('the name of a group of commands gets an empty response', async () => {
    const answer = await ask('pin');
    expect([...shape(answer), answer.body.length]).toEqual([
      200,
      'application/json',
      'X-Stream-Error',
      'x-chunked-output',
      0,
    ]);
  });

  test('arguments may be in the body, one per line, as the command line of Kubo sends them', async () => {
    const body = (text: string) => multipart([{ name: 'file', filename: 'stdin', bytes: Buffer.from(text) }]);
    expect((await ask('block/stat', body(`${cid}\nnonsense\n`))).status).toBe(200);
    const added = await ask(`pin/add?arg=${cid}`, body(`bafkqaaa\r\n${cid}`));
    expect(JSON.parse(added.body.toString())).toEqual({ Pins: [cid, 'bafkqaaa', cid] });
    expect((await ask('cat', body(`${cid}\n${cid}\n`))).body.toString()).toBe('Hello Worlds!\nHello Worlds!\n');
    for (const empty of [multipart([]), body('')]) {
      const answer = await ask('refs', empty);
      expect([answer.status, answer.body.toString()]).toEqual([400, 'argument "ipfs-path" is required\n']);
    }
    expect((await ask('refs', body('x'.repeat(1_100_000)))).status).toBe(400);
  });

  test('arguments beyond those of the command are ignored', async () => {
    expect((await ask('version?arg=x')).status).toBe(200);
    expect((await ask(`block/stat?arg=${cid}&arg=nonsense`)).status).toBe(200);
  });
});

describe('missing blocks', () => {
  test.each(['offline=true', 'local=true', 'offline=true&timeout=30s'])(
    '%s responds without waiting and names the block',
    async (query) => {
      const waiting = new Service();
      try {
        await waiting.makeAccounts();
        await waiting.start({ STORAGE_BLOCK_WAIT_SECONDS: '600' });
        const answer = await waiting.post(`cat?arg=${missing}&${query}`);
        expect([answer.status, await answer.text()]).toEqual([
          500,
          expect.stringContaining(`ipld: could not find ${missing}`),
        ]);
      } finally {
        await waiting.remove();
      }
    },
  );

  test('a deadline is reported with the missing block', async () => {
    const { status, body } = await ask(`cat?arg=${missing}&timeout=20ms`);
    expect([status, body.toString()]).toEqual([500, expect.stringContaining('context deadline exceeded')]);
    expect(body.toString()).toContain(`ipld: could not find ${missing}`);
  });

  test.each(['0s', '-1s'])('timeout=%s fails only a command that waits', async (timeout) => {
    expect((await ask(`version?timeout=${timeout}`)).status).toBe(200);
    const { status, body } = await ask(`cat?arg=${missing}&timeout=${timeout}`);
    expect([status, body.toString()]).toEqual([500, expect.stringContaining('context deadline exceeded')]);
  });

  test('the trailer of a stream names the missing block', async () => {
    const bytes = noise(3_000_000, 7);
    const { headers, body } = multipart([{ name: 'file', filename: 'f', bytes }]);
    const added = await ask('add?raw-leaves=true&pin=false', { headers, body });
    const root = String(JSON.parse(added.body.toString()).Hash);
    const links = (await ask(`refs?arg=${root}`)).body.toString().trim().split('\n');
    const leaf = String(JSON.parse(links.at(-1) ?? '').Ref);
    await ask(`block/rm?arg=${leaf}`);
    const cut = await ask(`cat?arg=${root}`);
    expect([cut.status, cut.isWhole, cut.trailers['x-stream-error']]).toEqual([
      200,
      true,
      expect.stringContaining(`ipld: could not find ${leaf}`),
    ]);
    expect(cut.body.length).toBeLessThan(bytes.length);
  });
});
