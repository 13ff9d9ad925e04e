import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLmdbBlockstore } from '@cairn/blockstore';
import { cidFor } from '@cairn/cid';
import { encodeDag } from '@cairn/dag';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../../tools/peers/free-port.mjs';
import { receive } from '../src/receive.fixture.ts';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'cairn-gateway-incomplete-'));
let service: RunningService;
let directory = '';
const damaged = Buffer.from('bytes that the disk changes');
const damagedCid = cidFor(damaged, { codec: 'raw' });
let adminPort = 0;

beforeAll(async () => {
  const blocks = await openLmdbBlockstore({ directory: join(home, 'blocks') });
  const missing = cidFor(Buffer.from('missing'), { codec: 'raw' });
  const links = [{ Name: 'missing.txt', Tsize: 7, Hash: missing }];
  const bytes = encodeDag('dag-pb', { Data: Uint8Array.of(0x08, 0x01), Links: links });
  const cid = cidFor(bytes, { codec: 'dag-pb' });
  await blocks.putMany([
    { cid, bytes },
    { cid: damagedCid, bytes: damaged },
  ]);
  await blocks.sync();
  await blocks.close();
  const file = join(home, 'blocks', 'data.mdb');
  const data = readFileSync(file);
  data.write('B', data.indexOf(damaged));
  writeFileSync(file, data);
  directory = cid.toString();
  adminPort = await freePort();
  const env = { IPFS_GATEWAY_ACCESS: 'public', IPFS_GATEWAY_ADMIN_PORT: String(adminPort) };
  service = await startService({ main, home, env });
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

test('a corrupt block that a read quarantines is counted once', async () => {
  for (let reads = 0; reads < 2; reads++) {
    const { text } = await get(`/ipfs/${damagedCid}`, '1.0');
    expect(text).toMatch(/^HTTP\/1\.1 5\d\d /);
  }
  const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  expect(metrics).toMatch(/^cairn_corrupt_blocks(\{[^}]*\})? 1$/m);
});
