import { randomBytes } from 'node:crypto';
import '@cairn/bitswap/libp2p';
import { afterEach, expect, test } from '@jest/globals';
import type { ConnectionProtector, Libp2p } from '@libp2p/interface';
import { privateNetwork } from './private-network.ts';

const protocol = '/echo/1.0.0';
const key = new Uint8Array(randomBytes(32));
const nodes: Libp2p[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

/** Starts a node that sends each message back. */
async function start(connectionProtector: () => ConnectionProtector): Promise<Libp2p> {
  const { createLibp2p } = await import('libp2p');
  const { tcp } = await import('@libp2p/tcp');
  const { noise } = await import('@libp2p/noise');
  const { yamux } = await import('@libp2p/yamux');
  const node = await createLibp2p({
    addresses: { listen: ['/ip4/127.0.0.1/tcp/0'] },
    transports: [tcp()],
    connectionEncrypters: [noise()],
    streamMuxers: [yamux()],
    connectionProtector,
    connectionGater: { denyDialMultiaddr: () => false },
  });
  await node.handle(protocol, (stream) => {
    stream.addEventListener('message', ({ data }) => void stream.send(data));
  });
  nodes.push(node);
  return node;
}

async function echo(from: Libp2p, to: Libp2p, bytes: Uint8Array): Promise<Buffer> {
  const stream = await from.dialProtocol(to.getMultiaddrs(), protocol, { signal: AbortSignal.timeout(30_000) });
  const received: Uint8Array[] = [];
  const whole = new Promise<void>((resolve) => {
    stream.addEventListener('message', ({ data }) => {
      received.push(data.subarray());
      if (received.reduce((sum, part) => sum + part.length, 0) >= bytes.length) resolve();
    });
  });
  stream.send(bytes);
  await whole;
  await stream.close();
  return Buffer.concat(received);
}

/** Protector of js-libp2p with the same key. */
async function otherImplementation(): Promise<() => ConnectionProtector> {
  const { preSharedKey } = await import('@libp2p/pnet');
  const file = `/key/swarm/psk/1.0.0/\n/base16/\n${Buffer.from(key).toString('hex')}`;
  return preSharedKey({ psk: new TextEncoder().encode(file) });
}

test('a node exchanges bytes with a node that uses @libp2p/pnet, in both directions', async () => {
  const own = await start(privateNetwork(key));
  const other = await start(await otherImplementation());
  const bytes = randomBytes(100_000);
  expect((await echo(own, other, bytes)).equals(bytes)).toBe(true);
  expect((await echo(other, own, bytes)).equals(bytes)).toBe(true);
});

test('a node with another key is refused', async () => {
  const own = await start(privateNetwork(key));
  const other = await start(privateNetwork(new Uint8Array(randomBytes(32))));
  await expect(other.dial(own.getMultiaddrs(), { signal: AbortSignal.timeout(30_000) })).rejects.toThrow();
  expect(own.getConnections()).toEqual([]);
});

test('a key of another length is refused', () => {
  expect(() => privateNetwork(new Uint8Array(31))).toThrow('has 31 bytes. Pass its 32 bytes.');
});
