import { mkdtempSync, rmSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLmdbBlockstore } from '@cairn/blockstore';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { importTree, profiles } from '@cairn/unixfs';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { until } from './raw-client.ts';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'cairn-gateway-hostile-'));
const MiB = 1024 * 1024;
let service: RunningService;
let root = '';

/** Bytes whose blocks differ. */
async function* large() {
  for (let number = 0; number < 64; number++) yield Buffer.alloc(MiB, `block ${number} `);
}

async function* small() {
  yield Buffer.from('small');
}

beforeAll(async () => {
  const blocks = await openLmdbBlockstore({ directory: join(home, 'blocks') });
  const entries = [
    { path: 'root/large.bin', content: large() },
    { path: 'root/small.txt', content: small() },
    { path: 'root/über uns.txt', content: small() },
  ];
  for await (const { cid, isRoot } of importTree(entries, blocks, profiles['unixfs-v1-2025']))
    if (isRoot) root = cid.toString();
  await blocks.sync();
  await blocks.close();
  service = await startService({ main, home, env: { IPFS_GATEWAY_ACCESS: 'public' } });
});

afterAll(async () => {
  await service.stop();
  rmSync(home, { recursive: true });
});

/** Opens a connection, sends bytes, and resolves with it when the first bytes arrive. It reads nothing more. */
function openSlow(request: string): Promise<Socket> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.on('error', reject);
    socket.once('data', () => {
      socket.pause();
      resolve(socket);
    });
  });
}

/** Sends bytes and resolves with everything that comes back until the connection is closed. */
function exchange(request: string): Promise<string> {
  const { hostname, port } = new URL(service.url);
  return new Promise((resolve, reject) => {
    let received = '';
    const socket = connect(Number(port), hostname, () => socket.write(request));
    socket.setEncoding('latin1').on('data', (text) => {
      received += text;
    });
    socket.on('error', reject).on('close', () => resolve(received));
  });
}

const get = (path: string, fields = '') => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n${fields}\r\n`;

async function expectServes(): Promise<void> {
  const response = await fetch(`${service.url}/ipfs/${root}/small.txt`);
  expect([response.status, await response.text()]).toEqual([200, 'small']);
}

describe('clients that go away', () => {
  test('a client that goes away ends its response', async () => {
    const before = service.log.length;
    (await openSlow(get(`/ipfs/${root}/large.bin?x=gone`))).destroy();
    const isLogged = () => service.log.slice(before).some(({ isComplete }) => isComplete === false);
    await until(isLogged);
  });
});

describe('requests that are odd', () => {
  test.each([
    ['a list of many ranges', `Range: bytes=${'0-0,'.repeat(3000)}1-1`, 206],
    ['many tags', `If-None-Match: ${'"x",'.repeat(3000)}"y"`, 200],
    ['an open tag', `If-None-Match: "${'x'.repeat(12_000)}`, 200],
    ['many media types', `Accept: ${'a/b,'.repeat(3000)}c/d`, 200],
    ['a long cache directive', `Cache-Control: ${','.repeat(12_000)}`, 200],
    ['a long host', `X-Forwarded-Host: ${'a.'.repeat(6000)}`, 200],
    ['fields beyond the limit', `X-Long: ${'x'.repeat(40_000)}`, 431],
    ['two lengths', 'Content-Length: 1\r\nContent-Length: 2', 400],
    ['a length and chunks', 'Content-Length: 4\r\nTransfer-Encoding: chunked', 400],
    ['an encoding in disguise', 'Transfer-Encoding: xchunked', 400],
    ['a space before the colon', 'Content-Length : 5', 400],
  ])('%s', async (_, field, status) => {
    const text = await exchange(get(`/ipfs/${root}/small.txt`, `Connection: close\r\n${field}\r\n`));
    expect(text.slice(0, 12)).toBe(`HTTP/1.1 ${status}`);
    await expectServes();
  });

  test('a path that curl sends without percent-encoding names the file', async () => {
    const text = await exchange(get(`/ipfs/${root}/über%20uns.txt`));
    expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nsmall$/);
  });

  test('a body of a GET is not read as the next request', async () => {
    const inner = get('/ipfs/smuggled');
    const fields = `Connection: close\r\nContent-Length: ${inner.length}\r\n`;
    const text = await exchange(`${get(`/ipfs/${root}/small.txt`, fields)}${inner}`);
    expect(text.match(/HTTP\/1\.1 /g)).toHaveLength(1);
  });

  test.each([`/ipfs/${'a/'.repeat(4000)}`, `/ipfs/${'%2e%2e/'.repeat(1500)}`, `/${'/'.repeat(8000)}`])(
    'a path of many parts, %.20s',
    async (path) => {
      expect(await exchange(get(path, 'Connection: close\r\n'))).toMatch(/^HTTP\/1\.1 [34]\d\d /);
      await expectServes();
    },
  );
});
