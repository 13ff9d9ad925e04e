import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLmdbBlockstore } from '@cairn/blockstore';
import { cidFor } from '@cairn/cid';
import { encodeDag } from '@cairn/dag';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { receive } from '../src/receive.fixture.ts';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'cairn-gateway-incomplete-'));
let service: RunningService;
let directory = '';

beforeAll(async () => {
  const blocks = await openLmdbBlockstore({ directory: join(home, 'blocks') });
  const missing = cidFor(Buffer.from('missing'), { codec: 'raw' });
  const links = [{ Name: 'missing.txt', Tsize: 7, Hash: missing }];
  const bytes = encodeDag('dag-pb', { Data: Uint8Array.of(0x08, 0x01), Links: links });
  const cid = cidFor(bytes, { codec: 'dag-pb' });
  await blocks.putMany([{ cid, bytes }]);
  await blocks.sync();
  await blocks.close();
  directory = cid.toString();
  service = await startService({ main, home, env: { IPFS_GATEWAY_ACCESS: 'public' } });
});

afterAll(async () => {
  await service.stop();
  rmSync(home, { recursive: true });
});

const get = (path: string, version: '1.0' | '1.1') =>
  receive({ port: Number(new URL(service.url).port), path, version });

test('a CAR with a missing block has the blocks before it, and no end', async () => {
  const { text, code } = await get(`/ipfs/${directory}?format=car`, '1.1');
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(text).toContain('missing.txt');
  expect(text).not.toMatch(/\r\n0\r\n\r\n$/);
  expect(code).toBeUndefined();
});

test('a TAR with a missing block has the entries before it, and no end', async () => {
  const { text } = await get(`/ipfs/${directory}?format=tar`, '1.1');
  expect(text).toMatch(/^HTTP\/1\.1 200 OK\r\n/);
  expect(text).toContain(directory.slice(1));
  expect(text).not.toMatch(/\r\n0\r\n\r\n$/);
});

test('a CAR of HTTP/1.0 with a missing block ends with a reset', async () => {
  expect((await get(`/ipfs/${directory}?format=car`, '1.0')).code).toBe('ECONNRESET');
});
