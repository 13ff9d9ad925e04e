import { randomBytes } from 'node:crypto';
import { createNode } from '@cairn/bitswap/libp2p';
import { cidFor } from '@cairn/cid';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../../tools/peers/free-port.mjs';
import { HostileGateways } from './hostile-gateways.ts';
import { PeerProcess } from './peer-process.ts';
import { PsaClient } from './psa-service.ts';
import { Service } from './service.ts';

const MiB = 1024 * 1024;
const bitswap = '/ipfs/bitswap/1.2.0';
/** Bound on the memory of the peer: Node, libp2p, and the bodies in flight. */
const residentMiBMax = 400;

const service = new Service();
const gateways = new HostileGateways();
const psa = new PsaClient(service);
let peer: PeerProcess;
let adminPort = 0;

beforeAll(async () => {
  await service.makeAccounts();
  adminPort = await freePort();
  peer = new PeerProcess(service.home, {
    IPFS_PEER_HTTP_GATEWAYS: await gateways.start(),
    IPFS_PEER_ADMIN_PORT: String(adminPort),
  });
  await peer.start();
  await service.start({ IPFS_PEER_URL: peer.url, STORAGE_BLOCK_WAIT_SECONDS: '40' });
});
afterAll(async () => {
  await service.remove();
  await peer.stop();
  await gateways.stop();
});

/** Blocks that only the honest gateway has. */
function honestBlocks(count: number): { readonly cid: string; readonly bytes: Buffer }[] {
  return Array.from({ length: count }, () => {
    const bytes = randomBytes(100 * 1024);
    const cid = cidFor(bytes, { codec: 'raw' }).toString();
    gateways.blocks.set(cid, bytes);
    return { cid, bytes };
  });
}

async function residentMiB(): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${adminPort}/metrics`)).text();
  return Number(/^cairn_process_resident_memory_bytes(?:{.*})? (\S+)$/m.exec(metrics)?.[1]) / MiB;
}

async function stored(): Promise<number> {
  return ((await (await service.post('repo/stat')).json()) as { readonly NumObjects: number }).NumObjects;
}

test('content arrives from an honest gateway beside eight hostile ones, and each fault costs little', async () => {
  const blocks = honestBlocks(12);
  const pinned = await service.post(`pin/add?${blocks.map(({ cid }) => `arg=${cid}`).join('&')}`);
  expect([pinned.status, await pinned.text()]).toEqual([200, expect.stringContaining(blocks[0]?.cid ?? '')]);
  for (const { cid, bytes } of blocks) {
    const answer = await service.post(`cat?arg=${cid}&offline=true`);
    expect(Buffer.from(await answer.arrayBuffer()).equals(bytes)).toBe(true);
  }
  expect(gateways.requests.size).toBe(8);
  // A host that sends wrong or too many bytes is excluded: only requests that were already running can repeat the fault.
  for (const name of ['a length of 10 GiB', 'an endless body', 'other bytes']) {
    const requests = gateways.requests.get(name) ?? 0;
    expect([name, requests]).toEqual([name, Math.min(requests, 16)]);
    expect((gateways.bytes.get(name) ?? 0) / requests).toBeLessThan(12 * MiB);
  }
  expect(await residentMiB()).toBeLessThan(residentMiBMax);
});

test('content that only hostile gateways claim to have ends in time, and nothing of it is stored', async () => {
  const absent = cidFor(randomBytes(40), { codec: 'raw' });
  const before = await stored();
  for (const command of ['cat', 'pin/add', 'dag/get']) {
    const answer = await service.post(`${command}?arg=${absent}&timeout=2s`);
    expect([command, answer.status]).toEqual([command, 500]);
  }
  expect((await service.post(`block/get?arg=${absent}&offline=true`)).status).toBe(500);
  expect(await stored()).toBe(before);
});

test('origins that send other blocks, or nothing, do not keep a pin request from an honest source', async () => {
  const [block] = honestBlocks(1);
  const nodes = await Promise.all([1, 2].map(() => createNode({ listen: ['/ip4/127.0.0.1/tcp/0'] })));
  try {
    // The first peer reads wants and answers each with a block that nothing requested, the second never answers.
    await nodes[0]?.handle(bitswap, async (stream, connection) => {
      stream.addEventListener('message', () => {});
      const answer = await connection.newStream(bitswap);
      answer.send(unrequestedBlock(randomBytes(5000)));
    });
    await nodes[1]?.handle(bitswap, (stream) => stream.addEventListener('message', () => {}));
    const origins = nodes.flatMap((node) => node.getMultiaddrs().map(String));
    const { requestid } = await psa.add({ cid: block?.cid, origins });
    expect((await psa.until(requestid, 'pinned')).pin.cid).toBe(block?.cid);
  } finally {
    for (const node of nodes) await node.stop();
  }
  expect(await residentMiB()).toBeLessThan(residentMiBMax);
});

/** Bitswap message with one raw block of less than 16 KiB. */
function unrequestedBlock(bytes: Uint8Array): Uint8Array {
  const prefix = Buffer.from([1, 0x55, 0x12, 0x20]);
  const block = Buffer.concat([Buffer.from([0x0a, prefix.length]), prefix, Buffer.from([0x12]), varint(bytes), bytes]);
  const message = Buffer.concat([Buffer.from([0x1a]), varint(block), block]);
  return Buffer.concat([varint(message), message]);
}

/** Length of less than 2^14 bytes as two bytes of a varint. */
function varint({ length }: Uint8Array): Buffer {
  return Buffer.from([(length & 0x7f) | 0x80, length >> 7]);
}
