import { mkdtempSync, rmSync } from 'node:fs';
import type { Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { openLmdbBlockstore } from '@cairn/blockstore';
import { type RunningService, startService } from '@cairn/service-kit/testing';
import { importTree, profiles } from '@cairn/unixfs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { get, MiB, open, peakDuring, until } from './raw-client.ts';

const main = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const home = mkdtempSync(join(tmpdir(), 'cairn-gateway-slow-'));
const largeMebibytes = 64;
const rssMax = 400;
let service: RunningService;
let root = '';
let sockets: Socket[] = [];

/** Bytes whose blocks differ. */
async function* large() {
  for (let number = 0; number < largeMebibytes; number++) yield Buffer.alloc(MiB, `block ${number} `);
}

async function* small() {
  yield Buffer.from('small');
}

beforeAll(async () => {
  const blocks = await openLmdbBlockstore({ directory: join(home, 'blocks') });
  const entries = [
    { path: 'root/large.bin', content: large() },
    { path: 'root/small.txt', content: small() },
  ];
  for await (const { cid, isRoot } of importTree(entries, blocks, profiles['unixfs-v1-2025']))
    if (isRoot) root = cid.toString();
  await blocks.sync();
  await blocks.close();
  service = await startService({
    main,
    home,
    env: { IPFS_GATEWAY_ACCESS: 'public', NODE_OPTIONS: '--max-semi-space-size=2' },
  });
});

afterEach(() => {
  for (const socket of sockets) socket.destroy();
  sockets = [];
});

afterAll(async () => {
  await service.stop();
  rmSync(home, { recursive: true });
});

async function openMany(count: number, request: (number: number) => string, options = {}): Promise<void> {
  // A part at a time, since the backlog of connections is limited.
  for (let from = 0; from < count; from += 100) {
    const length = Math.min(100, count - from);
    sockets.push(
      ...(await Promise.all(Array.from({ length }, (_, index) => open(service, request(from + index), options)))),
    );
  }
}

/** Reads a response whole. */
async function read(path: string): Promise<Buffer> {
  const response = await fetch(`${service.url}${path}`);
  expect(response.status).toBe(200);
  return Buffer.from(await response.arrayBuffer());
}

const isWholeFile = (bytes: Buffer) =>
  bytes.length === largeMebibytes * MiB &&
  Array.from({ length: largeMebibytes }, (_, number) => bytes.toString('latin1', number * MiB, number * MiB + 8)).every(
    (text, number) => text === `block ${number} `.slice(0, 8),
  );

describe('clients that read slowly', () => {
  test('1,000 slow readers and 1,000 idle connections stay below 400 MiB, and another client is served', async () => {
    const { peak } = await peakDuring(service, async () => {
      await openMany(1000, () => get(`/ipfs/${root}/small.txt`), { isReading: true });
      await openMany(1000, (number) =>
        get(`/ipfs/${root}/large.bin`, `Range: bytes=${(number % 48) * MiB + number}-\r\n`),
      );
      expect(isWholeFile(await read(`/ipfs/${root}/large.bin`))).toBe(true);
      expect(String(await read(`/ipfs/${root}/small.txt?again`))).toBe('small');
    });
    // On a slow machine, the idle connections reach the time limit of connections that are kept.
    expect(sockets.slice(1000).filter(({ destroyed }) => !destroyed).length).toBe(1000);
    expect(peak).toBeLessThan(rssMax);
  });

  test.each(['car', 'tar'])(
    '100 slow readers of a %s stay below 400 MiB, and another one is served',
    async (format) => {
      const { peak, result } = await peakDuring(service, async () => {
        await openMany(100, (number) => get(`/ipfs/${root}?format=${format}&filename=${number}`));
        return await read(`/ipfs/${root}?format=${format}`);
      });
      expect(result.length).toBeGreaterThan(largeMebibytes * MiB);
      expect(peak).toBeLessThan(rssMax);
    },
  );

  test('a slow reader gets every byte when it reads on', async () => {
    await openMany(100, () => get(`/ipfs/${root}/large.bin?slow`));
    const [first] = sockets;
    let length = 0;
    first?.on('data', (bytes) => {
      length += bytes.length;
    });
    first?.resume();
    await until(() => length >= (largeMebibytes - 1) * MiB);
  });

  test('slow readers that go away end their responses', async () => {
    const before = service.log.length;
    await openMany(100, () => get(`/ipfs/${root}/large.bin?gone`));
    for (const socket of sockets) socket.destroy();
    const ended = () => service.log.slice(before).filter(({ isComplete }) => isComplete === false).length;
    await until(() => ended() >= 100);
    expect(isWholeFile(await read(`/ipfs/${root}/large.bin`))).toBe(true);
  });
});
