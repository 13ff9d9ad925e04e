import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, expect, test } from '@jest/globals';
import { createPublicHttp, type PublicHttp, type PublicHttpOptions } from './public-http.ts';

const servers: Server[] = [];
const clients: PublicHttp[] = [];
afterEach(async () => {
  for (const client of clients.splice(0)) await client.close();
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

async function serve(listener: RequestListener): Promise<{ readonly url: string; readonly port: number }> {
  const server = createServer(listener);
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}`, port };
}

function client(options: PublicHttpOptions = { allowsPrivate: true }): PublicHttp {
  const http = createPublicHttp(options);
  clients.push(http);
  return http;
}

const bounds = { bytesMax: 1000, timeoutMs: 5000 };

test('request returns status, header fields and body', async () => {
  const { url } = await serve((request, response) => {
    response.writeHead(201, { 'x-a': ['1', '2'] }).end(`${request.method} ${request.url} ${request.headers['x-b']}`);
  });
  const response = await client().request(`${url}/a?b=c`, {
    ...bounds,
    method: 'POST',
    body: 'x',
    headers: { 'x-b': 'y' },
  });
  expect(response).toMatchObject({ status: 201, headers: { 'x-a': '1, 2' } });
  expect(Buffer.from(response.bytes).toString()).toBe('POST /a?b=c y');
});

test.each(['127.0.0.1', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '169.254.169.254', '100.64.0.1'])(
  'request refuses the literal address %s',
  async (host) => {
    await expect(client({}).request(`http://${host}/`, bounds)).rejects.toMatchObject({ code: 'HTTP_ADDRESS_REFUSED' });
  },
);

test('request refuses a name with private addresses only, and never connects to them', async () => {
  let connections = 0;
  const { port } = await serve((_, response) => void response.end(`${++connections}`));
  const http = client({
    resolveHost: async () => [
      { address: '127.0.0.1', family: 4 },
      { address: 'fd00::1', family: 6 },
    ],
  });
  const failed = http.request(`http://gateway.example:${port}/`, bounds);
  await expect(failed).rejects.toMatchObject({ code: 'HTTP_ADDRESS_REFUSED', details: { host: 'gateway.example' } });
  expect(connections).toBe(0);
});

test('a second answer of the name server is not used for a connection', async () => {
  const { port } = await serve((_, response) => void response.end('internal'));
  const answers = ['192.0.2.1', '127.0.0.1'];
  let asked = 0;
  const http = client({
    resolveHost: async () => [{ address: answers[Math.min(asked++, 1)] ?? '', family: 4 }],
  });
  for (let round = 0; round < 3; round++)
    await expect(http.request(`http://rebinding.example:${port}/`, bounds)).rejects.toMatchObject({
      code: 'HTTP_ADDRESS_REFUSED',
    });
  expect(asked).toBe(3);
});

test('a body beyond the limit ends the connection', async () => {
  let isClosed = () => {};
  const closed = new Promise<void>((resolve) => {
    isClosed = resolve;
  });
  const { url } = await serve((_, response) => {
    const timer = setInterval(() => response.write(Buffer.alloc(500)), 1);
    response.on('close', () => {
      clearInterval(timer);
      isClosed();
    });
  });
  await expect(client().request(url, bounds)).rejects.toMatchObject({ code: 'HTTP_BODY_TOO_LARGE' });
  await closed;
});

test('a body that never ends is limited by time, and so is a missing head', async () => {
  const drip = await serve((_, response) => {
    const timer = setInterval(() => response.write('x'), 20);
    response.on('close', () => clearInterval(timer));
  });
  const silent = await serve(() => {});
  for (const { url } of [drip, silent])
    await expect(client().request(url, { bytesMax: 1e9, timeoutMs: 150 })).rejects.toMatchObject({
      code: 'HTTP_TIMEOUT',
    });
});

test('request throws the reason of its signal', async () => {
  const { url } = await serve(() => {});
  const reason = new Error('the client went away');
  await expect(client().request(url, { ...bounds, signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
  const abort = new AbortController();
  const running = client().request(url, { ...bounds, signal: abort.signal });
  setTimeout(() => abort.abort(reason), 30);
  await expect(running).rejects.toBe(reason);
});

test('a redirect is followed within its origin only', async () => {
  const { url } = await serve((request, response) => {
    const targets: Record<string, string> = { '/a': '/b', '/meta': 'http://169.254.169.254/latest', '/loop': '/loop' };
    const location = targets[request.url ?? ''];
    if (location === undefined) response.end('b');
    else response.writeHead(302, { location }).end();
  });
  const http = client();
  const followed = await http.request(`${url}/a`, { ...bounds, redirectsMax: 1 });
  expect(Buffer.from(followed.bytes).toString()).toBe('b');
  for (const path of ['/meta', '/loop'])
    await expect(http.request(url + path, { ...bounds, redirectsMax: 3 })).rejects.toMatchObject({
      code: 'HTTP_REDIRECT_REFUSED',
    });
  await expect(http.request(`${url}/a`, bounds)).rejects.toMatchObject({ code: 'HTTP_REDIRECT_REFUSED' });
});

test.each(['ftp://a.example/', 'http://user:secret@a.example/', 'gateway', 'file:///etc/passwd'])(
  'request refuses the URL %s without its text',
  async (url) => {
    const failed = client().request(url, bounds);
    await expect(failed).rejects.toMatchObject({ code: 'HTTP_URL_INVALID' });
    await expect(failed).rejects.not.toThrow('secret');
  },
);

test('a failed connection names the host and the code', async () => {
  const { url, port } = await serve(() => {});
  const server = servers.pop();
  await new Promise((resolve) => server?.close(resolve));
  await expect(client().request(`${url}/key`, bounds)).rejects.toThrow(
    `The request to 127.0.0.1:${port} failed: ECONNREFUSED.`,
  );
});

test('a closed client refuses requests', async () => {
  const http = client();
  await http.close();
  await expect(http.request('http://a.example', bounds)).rejects.toMatchObject({ code: 'HTTP_CLOSED' });
});
