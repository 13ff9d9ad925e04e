import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { connect } from 'node:net';
import { bitswapLimits, blockSourceFromBlockstore, openBitswap } from '@cairn/bitswap';
import { createLibp2pTransport, createNode } from '@cairn/bitswap/libp2p';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { type CID, cidFor } from '@cairn/cid';
import type { PeerApi } from '@cairn/peer-api';
import type { RunningService } from '@cairn/service-kit/testing';
import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { multiaddr } from '@multiformats/multiaddr';
import { freePort } from '../../../tools/peers/free-port.mjs';
import {
  addProviderMessage,
  bitswap,
  blockMessage,
  dht,
  dial,
  frame,
  identifyMessage,
  identifyPush,
  openHostilePeer,
  putValueMessage,
  send,
  wantMessage,
} from './hostile-peer.fixture.ts';
import { openHome } from './network.fixture.ts';

/** Bound on the memory of the process: Node, blocks and messages in flight. A leak of one attack exceeds it. */
const residentMiBMax = 900;
const connectionsMax = 24;
/** Connections of one host that may end their handshakes when the number of open ones is at the limit. */
const handshakesMax = 32;

let home: Awaited<ReturnType<typeof openHome>>;
let service: RunningService;
let api: PeerApi;
let address = '';
let webSocketAddress = '';
let cids: readonly CID[] = [];
const nodes: { stop(): void | Promise<void> }[] = [];
let adminUrl = '';

beforeAll(async () => {
  home = await openHome();
  const blocks = Array.from({ length: 128 }, () => randomBytes(64 * 1024)).map((bytes) => ({
    cid: cidFor(bytes, { codec: 'raw' }),
    bytes,
  }));
  await home.store.putMany(blocks);
  await home.store.sync();
  cids = blocks.map(({ cid }) => cid);
  for (const cid of cids) await home.pin('alice', cid.toString());
  const adminPort = await freePort();
  adminUrl = `http://127.0.0.1:${adminPort}`;
  service = await home.start({
    IPFS_PEER_ADMIN_PORT: String(adminPort),
    IPFS_PEER_LISTEN: '/ip4/127.0.0.1/tcp/0,/ip4/127.0.0.1/tcp/0/ws',
    IPFS_PEER_ROUTING: 'dhtserver',
    IPFS_PEER_PROVIDE: 'none',
    IPFS_PEER_CONNECTIONS_MAX: String(connectionsMax),
  });
  api = home.connect(service.url);
  const { addresses } = await api.describe();
  webSocketAddress = addresses.find((each) => each.includes('/ws')) ?? '';
  address = addresses.find((each) => !each.includes('/ws')) ?? '';
});
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});
afterAll(async () => {
  await api?.close();
  await service?.stop();
  await home?.close();
});

async function hostile(options: { readonly reads?: boolean } = {}) {
  const peer = await openHostilePeer(address, options);
  nodes.push(peer.node);
  return peer;
}

/** Resolves when the condition holds. @throws Error after 20 s */
async function until(condition: () => Promise<boolean>): Promise<void> {
  const end = performance.now() + 20_000;
  while (!(await condition())) {
    if (performance.now() > end) throw new Error('The condition does not hold after 20 s.');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function repeat(times: number, step: (n: number) => Promise<unknown>): Promise<void> {
  for (let n = 0; n < times; n++) await step(n);
}

const randomCid = () => cidFor(randomBytes(16), { codec: 'raw' });

/** Sends a message 200 times on a stream of its own. The process may end the stream, which ends the attack. */
async function attackStream(peer: Awaited<ReturnType<typeof hostile>>, protocol: string, message: () => Uint8Array) {
  const stream = await peer.open(protocol);
  try {
    await repeat(200, () => send(stream, message()));
  } catch {
    // The process ended the stream: the received bytes show how much of the attack reached it.
  }
}

/** Attack with the bytes of its protocol that the process must have received: refused earlier, it would prove nothing. */
type Attack = readonly [
  name: string,
  reach: readonly [protocol: string, bytesMin: number],
  run: () => Promise<unknown>,
];

const KiB = 1024;
const MiB = 1024 * KiB;

const attacks: readonly Attack[] = [
  [
    'endless wantlists',
    [bitswap, MiB],
    async () => attackStream(await hostile(), bitswap, () => wantMessage(Array.from({ length: 500 }, randomCid))),
  ],
  [
    '10,000 streams',
    [bitswap, 0],
    async () => {
      const { open } = await hostile();
      let opened = 0;
      // Streams that begin together beyond the limit of one peer are all refused, so the first ones stay below it.
      const together = bitswapLimits.streamsPerPeerMax / 2;
      await repeat(Math.ceil(10_000 / together), async () => {
        const streams = await Promise.allSettled(Array.from({ length: together }, () => open(bitswap)));
        opened += streams.filter(({ status }) => status === 'fulfilled').length;
      });
      expect(opened).toBeGreaterThanOrEqual(together);
    },
  ],
  [
    'messages of 4 MiB that never end',
    [bitswap, 8 * MiB],
    async () => {
      const peer = await hostile();
      const start = Buffer.from([0x80, 0x80, 0x80, 0x02]);
      await Promise.allSettled(
        Array.from({ length: 16 }, async () => {
          const stream = await peer.open(bitswap);
          await send(stream, start);
          await repeat(15, () => send(stream, new Uint8Array(256 * 1024)));
        }),
      );
    },
  ],
  [
    'peers that request all blocks and do not read',
    [bitswap, 8 * KiB],
    async () => {
      const wants = wantMessage(cids);
      const peers = await Promise.all(Array.from({ length: 8 }, () => hostile({ reads: false })));
      const before = (await api.bitswap.status()).blocksSent;
      for (const peer of peers) await send(await peer.open(bitswap), wants);
      // Streams without readers fill: blocks were taken from the store, and the server waits.
      await until(async () => (await api.bitswap.status()).blocksSent > before);
    },
  ],
  [
    'blocks that nothing requested',
    [bitswap, 100 * KiB],
    async () => {
      const bytes = randomBytes(150_000);
      const message = blockMessage(bytes);
      const peer = await hostile();
      await attackStream(peer, bitswap, () => message);
      await until(async () => peer.connection.status !== 'open');
      expect(await home.store.has(cidFor(bytes, { codec: 'raw' }))).toBe(false);
    },
  ],
  [
    'a storm of provider records and values in the DHT',
    [dht, 256 * KiB],
    async () => {
      const peer = await hostile();
      const sender = peer.node.peerId.toMultihash().bytes;
      const addresses = peer.node.getMultiaddrs().map((own) => own.bytes);
      await Promise.all([
        ...Array.from({ length: 8 }, () =>
          attackStream(peer, dht, () => addProviderMessage(randomCid().multihash.bytes, sender, addresses)),
        ),
        ...Array.from({ length: 8 }, () =>
          attackStream(peer, dht, () =>
            putValueMessage(Buffer.concat([Buffer.from('/ipns/'), randomBytes(34)]), randomBytes(5000)),
          ),
        ),
        attackStream(peer, dht, () => frame(randomBytes(100_000))),
      ]);
    },
  ],
  [
    'DHT requests that announce gigabytes',
    // The refused bytes do not reach the protocol.
    [dht, 0],
    async () => {
      const peer = await hostile();
      await repeat(16, async () => {
        const stream = await peer.open(dht);
        await send(stream, Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x07));
        await until(async () => stream.status !== 'open');
      });
    },
  ],
  ...(
    [
      ['invalid WebSocket frames', Uint8Array.of(0xf2, 0x80, 0, 0, 0, 0)],
      // A head of 99 MiB.
      ['WebSocket messages that never end', Uint8Array.of(0x82, 0xff, 0, 0, 0, 0, 0x06, 0x30, 0, 0, 0, 0, 0, 0)],
    ] as const
  ).map(
    ([name, head]): Attack => [
      name,
      [bitswap, 0],
      async () => {
        for (let count = 0; count < 12; count++) {
          const socket = await openWebSocket();
          const ended = once(socket, 'close');
          socket.write(head);
          // The service ends the socket before it has read them.
          for (let mebibyte = 0; mebibyte < 16; mebibyte++) socket.write(new Uint8Array(MiB));
          await ended;
        }
      },
    ],
  ),
  [
    'identify messages with thousands of addresses',
    [identifyPush, 100 * KiB],
    async () => {
      const peer = await hostile();
      const addresses = Array.from({ length: 5000 }, (_, n) => `/ip4/198.51.100.${n % 256}/tcp/${1000 + n}`);
      const message = identifyMessage(addresses);
      await repeat(20, () => attackStream(peer, identifyPush, () => message));
      const known = await api.describe(peer.node.peerId.toString());
      expect(known.addresses.length).toBeLessThan(1000);
    },
  ],
];

/** Opens a WebSocket without a handshake of libp2p. */
async function openWebSocket() {
  for (;;) {
    const socket = connect(Number(/tcp\/(\d+)/.exec(webSocketAddress)?.[1]), '127.0.0.1');
    socket.on('error', () => {});
    const heads = ['Host: x', 'Upgrade: websocket', 'Connection: Upgrade', 'Sec-WebSocket-Version: 13'];
    const key = randomBytes(16).toString('base64');
    socket.write(['GET / HTTP/1.1', ...heads, `Sec-WebSocket-Key: ${key}`, '', ''].join('\r\n'));
    const isOpen = await Promise.race([once(socket, 'data').then(() => true), once(socket, 'close').then(() => false)]);
    if (isOpen) return socket.resume();
    // A host may open only some connections per second.
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Fetches blocks as an honest peer. */
async function fetchAll(): Promise<void> {
  const node = await createNode();
  nodes.push(node);
  const connection = await dial(node, address);
  const engine = await openBitswap({
    transport: createLibp2pTransport(node),
    source: blockSourceFromBlockstore(createMemoryBlockstore()),
  });
  const session = engine.openSession({ providers: [{ peer: connection.remotePeer.toString(), addresses: [address] }] });
  const signal = AbortSignal.timeout(60_000);
  expect(await Promise.all(cids.map((cid) => session.fetch(cid, { signal })))).toHaveLength(cids.length);
  await engine.close();
}

async function residentMiB(): Promise<number> {
  const metrics = await (await fetch(`${adminUrl}/metrics`)).text();
  return Number(/^cairn_process_resident_memory_bytes(?:{.*})? (\S+)$/m.exec(metrics)?.[1]) / 1024 ** 2;
}

async function expectHealthy(): Promise<void> {
  expect((await fetch(`${adminUrl}/readyz`)).status).toBe(200);
  expect(await residentMiB()).toBeLessThan(residentMiBMax);
}

test.each(attacks)(
  'the process serves another peer, stores nothing and stays ready during: %s',
  async (_, [protocol, bytesMin], attack) => {
    const received = async () => (await api.bandwidth({ protocol })).totalIn;
    const before = await received();
    const attacked = attack();
    attacked.catch(() => {});
    await fetchAll();
    await expectHealthy();
    await attacked;
    await until(async () => (await received()) - before >= bytesMin);
    await expectHealthy();
    expect((await home.store.stats()).blocks).toBe(cids.length);
  },
);

test('a peer that answers with other bytes is disconnected, and the fetch stays open for others', async () => {
  const peer = await hostile();
  const wanted = randomCid();
  const provider = { peer: peer.node.peerId.toString(), addresses: [peer.address] };
  const ended = new AbortController();
  const fetching = api.exchange.fetch(wanted, { providers: [provider], signal: ended.signal });
  fetching.catch(() => {});
  await send(await peer.open(bitswap), blockMessage(randomBytes(5000)));
  while (peer.connection.status === 'open') await new Promise((resolve) => setTimeout(resolve, 20));
  ended.abort();
  await expect(fetching).rejects.toThrow();
  expect(await home.store.has(wanted)).toBe(false);
  await expectHealthy();
});

test('connections beyond the limit are refused or replaced, and an honest peer connects', async () => {
  const many = await Promise.all(Array.from({ length: connectionsMax + 16 }, () => createNode()));
  nodes.push(...many);
  for (let round = 0; round < 4; round++) {
    await Promise.allSettled(many.map((node) => node.dial(multiaddr(address))));
    expect((await api.swarm.peers()).length).toBeLessThanOrEqual(connectionsMax + handshakesMax);
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  await fetchAll();
  await expectHealthy();
});
