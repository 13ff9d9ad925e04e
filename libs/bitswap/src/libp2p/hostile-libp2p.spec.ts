import { randomBytes } from 'node:crypto';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { cidFor, parseCid } from '@cairn/cid';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { Libp2p, Stream } from '@libp2p/interface';
import { peerIdFromString } from '@libp2p/peer-id';
import { multiaddr } from '@multiformats/multiaddr';
import { blockSourceFromBlockstore, openBitswap } from '../index.ts';
import { startWrongPeer } from '../testing/wrong-peer.fixture.ts';
import { prefixFromCid } from '../wire/cid-prefix.ts';
import { encodeFrame } from '../wire/encode-message.ts';
import type { BitswapMessage, WantEntry } from '../wire/message.ts';
import { bitswapProtocol, createLibp2pTransport, createNode } from './index.ts';
import { startServerProcess } from './server.fixture.ts';

/** Bound on the memory of the server: Node, 32 MiB of blocks, and messages in flight. A leak of one attack exceeds it. */
const peakMiBMax = 600;

let server: Awaited<ReturnType<typeof startServerProcess>>;
const nodes: Libp2p[] = [];
beforeAll(async () => {
  server = await startServerProcess(512);
});
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});
afterAll(() => server?.stop());

async function start() {
  const node = await createNode({ listen: ['/ip4/127.0.0.1/tcp/0'] });
  nodes.push(node);
  return node;
}

/** Dials the server. It refuses more than a few connections per second of one host. */
async function dial(node: Libp2p) {
  const addresses = server.provider.addresses.map((address) => multiaddr(address));
  for (;;) {
    const connection = await node.dial(addresses).catch(() => undefined);
    if (connection !== undefined) return connection;
    await new Promise((resolve) => setTimeout(resolve, 300));
  }
}

/** Connects a peer without an engine. `open` opens a stream to the server. */
async function hostile({ reads = true } = {}) {
  const node = await start();
  await node.handle(bitswapProtocol, (stream) => {
    if (reads) stream.addEventListener('message', () => {});
    else stream.pause();
  });
  const connection = await dial(node);
  const open = () => connection.newStream(bitswapProtocol, { maxOutboundStreams: 100_000 });
  return { node, connection, open };
}

const frame = (message: Partial<BitswapMessage>) =>
  Buffer.concat(encodeFrame({ isFull: false, wants: [], payloads: [], presences: [], pendingBytes: 0, ...message }));
const want = (cid: ReturnType<typeof parseCid>, changes: Partial<WantEntry> = {}): WantEntry => ({
  cid,
  priority: 1,
  isCancel: false,
  type: 'block',
  sendDontHave: true,
  ...changes,
});
const randomCid = () => cidFor(randomBytes(16), { codec: 'raw' });

async function send(stream: Stream, bytes: Uint8Array): Promise<void> {
  if (!stream.send(bytes)) await stream.onDrain({ signal: AbortSignal.timeout(10_000) });
}

/** Fetches all blocks as an honest peer and returns the state of the server. */
async function serveMeanwhile(attack: Promise<unknown>) {
  const node = await start();
  const engine = await openBitswap({
    transport: createLibp2pTransport(node),
    source: blockSourceFromBlockstore(createMemoryBlockstore()),
  });
  await dial(node);
  const session = engine.openSession({ providers: [server.provider] });
  const signal = AbortSignal.timeout(60_000);
  const fetched = await Promise.all(server.cids.slice(0, 128).map((cid) => session.fetch(parseCid(cid), { signal })));
  expect(fetched).toHaveLength(128);
  await attack;
  await engine.close();
  return server.state();
}

async function repeat(times: number, step: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < times; n++) await step(n);
}

const attacks: readonly (readonly [name: string, run: () => Promise<unknown>])[] = [
  [
    'endless wantlists of absent blocks',
    async () => {
      const stream = await (await hostile()).open();
      await repeat(60, () => send(stream, frame({ wants: Array.from({ length: 1000 }, () => want(randomCid())) })));
    },
  ],
  [
    'wants of all blocks by peers that do not read',
    async () => {
      const wants = server.cids.map((cid) => want(parseCid(cid)));
      await Promise.all(
        Array.from({ length: 8 }, async () => send(await (await hostile({ reads: false })).open(), frame({ wants }))),
      );
      // The lists of most of these peers wait, since the peers read nothing until the end of the test.
      while ((await server.state()).wants < 4 * server.cids.length)
        await new Promise((resolve) => setTimeout(resolve, 20));
    },
  ],
  [
    '10,000 streams',
    async () => {
      const { open } = await hostile();
      await repeat(100, () => Promise.allSettled(Array.from({ length: 100 }, open)));
    },
  ],
  [
    'messages that are too long, and long ones that never end',
    async () => {
      const long = await hostile();
      await send(await long.open(), Uint8Array.of(0xff, 0xff, 0xff, 0x7f, 1));
      await Promise.all(
        Array.from({ length: 16 }, async () => {
          const stream = await (await hostile()).open();
          // 4,194,304 bytes are announced.
          await send(stream, Uint8Array.of(0x80, 0x80, 0x80, 0x02));
          await repeat(15, () => send(stream, new Uint8Array(256 * 1024)));
        }),
      );
    },
  ],
  [
    'messages in pieces of one byte',
    async () => {
      const stream = await (await hostile()).open();
      const bytes = frame({ wants: Array.from({ length: 100 }, () => want(randomCid())) });
      for (const byte of bytes) await send(stream, Uint8Array.of(byte));
    },
  ],
  [
    'storms of presences, cancels without wants, and full wantlists',
    async () => {
      const stream = await (await hostile()).open();
      await repeat(30, async () => {
        const cids = Array.from({ length: 1000 }, randomCid);
        await send(stream, frame({ presences: cids.map((cid) => ({ cid, has: true })) }));
        await send(stream, frame({ wants: cids.map((cid) => want(cid, { isCancel: true })) }));
        await send(stream, frame({ isFull: true, wants: cids.map((cid) => want(cid, { type: 'have' })) }));
      });
    },
  ],
  [
    'the same wants again and again',
    async () => {
      const stream = await (await hostile()).open();
      const wants = server.cids.slice(0, 16).map((cid) => want(parseCid(cid)));
      await repeat(100, () => send(stream, frame({ wants })));
    },
  ],
  [
    'blocks that nothing requested',
    async () => {
      for (let peer = 0; peer < 4; peer++) {
        const { open, connection } = await hostile();
        const bytes = randomBytes(1024 * 1024);
        const payloads = [{ prefix: prefixFromCid(cidFor(bytes, { codec: 'raw' })), bytes }];
        await send(await open(), frame({ payloads }));
        while (connection.status === 'open') await new Promise((resolve) => setTimeout(resolve, 10));
      }
    },
  ],
];

test.each(attacks)('the server serves another peer within bounded memory during %s', async (_, attack) => {
  const { peakMiB, storedBlocks, wants } = await serveMeanwhile(attack());
  expect(peakMiB).toBeLessThan(peakMiBMax);
  expect(storedBlocks).toBe(0);
  expect(wants).toBeLessThan(100_000);
});

test('a peer that answers with wrong blocks is disconnected, and nothing is stored', async () => {
  const node = await start();
  const peer = node.peerId.toString();
  await startWrongPeer(createLibp2pTransport(node), peer);
  const { excluded } = await server.state();
  server.fetch(randomCid().toString(), { peer, addresses: node.getMultiaddrs().map(String) });
  while ((await server.state()).excluded === excluded) await new Promise((resolve) => setTimeout(resolve, 20));
  while (node.getConnections(peerIdFromString(server.provider.peer)).length > 0)
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect((await server.state()).storedBlocks).toBe(0);
});
