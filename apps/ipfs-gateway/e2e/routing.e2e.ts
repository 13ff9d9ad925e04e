import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createIpnsRecord, generateIpnsKey, ipnsNameText, openLmdbNameStore } from '@cairn/ipns';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'cairn-routing-'));
let service: RunningService;
beforeAll(async () => {
  service = await startService({ main, home, env: { IPFS_GATEWAY_ACCESS: 'public' } });
});
afterAll(async () => {
  await service.stop();
  rmSync(home, { recursive: true });
});

const get = async (path: string, init: RequestInit = {}) => {
  const response = await fetch(`${service.url}/routing/v1/${path}`, init);
  return {
    status: response.status,
    type: response.headers.get('content-type'),
    bytes: new Uint8Array(await response.arrayBuffer()),
  };
};

test('delegated routing without a peer has no providers', async () => {
  const { status, type, bytes } = await get('providers/bafkqabtimvwgy3yk');
  expect([status, type, Buffer.from(bytes).toString()]).toEqual([200, 'application/json', '{"Providers":[]}']);
  expect((await get('providers/nothing')).status).toBe(422);
  expect((await get('unknown')).status).toBe(400);
  expect((await get('dht/closest/peers/bafkqabtimvwgy3yk')).status).toBe(501);
});

test('delegated routing returns stored IPNS records, and refuses records without a key', async () => {
  const key = await generateIpnsKey({ type: 'ed25519' });
  const record = createIpnsRecord(key, {
    value: '/ipfs/bafkqabtimvwgy3yk',
    sequence: 1n,
    validUntilMs: Date.now() + 3_600_000,
    ttlNs: 300_000_000_000n,
  });
  const path = `ipns/${ipnsNameText(key.name)}`;
  expect((await get(path)).type).toContain('text/plain');
  const headers = { 'content-type': 'application/vnd.ipfs.ipns-record' };
  expect((await get(path, { method: 'PUT', headers, body: new Uint8Array(record) })).status).toBe(501);
  const store = await openLmdbNameStore({ directory: join(home, 'names') });
  await store.records.put(key.name, record, { account: 'ann' });
  await store.close();
  const { status, type, bytes } = await get(path);
  expect([status, type]).toEqual([200, 'application/vnd.ipfs.ipns-record']);
  expect(Buffer.from(bytes).equals(Buffer.from(record))).toBe(true);
});
