import { createNode } from '@cairn/bitswap/libp2p';
import { afterEach, expect, test } from '@jest/globals';
import { closeSurplusConnections } from './surplus-connections.ts';

type Started = Awaited<ReturnType<typeof createNode>>;
const nodes: Started[] = [];
afterEach(async () => {
  for (const node of nodes.splice(0)) await node.stop();
});

async function start(options: Parameters<typeof createNode>[0] = {}): Promise<Started> {
  const node = await createNode(options);
  nodes.push(node);
  return node;
}

const until = async (condition: () => boolean) => {
  while (!condition()) await new Promise((resolve) => setTimeout(resolve, 20));
};

/** Dials until the server accepts: js-libp2p refuses more than a few connections per second from one host. */
async function connect(node: Started, server: Started) {
  for (let attempts = 1; ; attempts++) {
    try {
      return await node.dial(server.getMultiaddrs());
    } catch (error) {
      if (attempts === 20) throw error;
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  }
}

test('the maximum of connections closes the least useful ones and keeps chosen peers', async () => {
  const server = await start({ listen: ['/ip4/127.0.0.1/tcp/0'], connectionsMax: 5 });
  const peers = await Promise.all(Array.from({ length: 5 }, () => start()));
  const names = peers.map(({ peerId }) => peerId.toString());
  const [kept, useful] = names;
  const stop = closeSurplusConnections(server, {
    max: 5,
    min: 2,
    graceMs: 0,
    isKept: (peer) => peer === kept,
    valueOf: (peer) => (peer === useful ? 1000 : 0),
  });
  for (const peer of peers.slice(0, 4)) await connect(peer, server);
  // js-libp2p refuses some dials of one host, and the last peer can be closed before its dial has ended.
  while (server.getConnections().length !== 2) {
    await peers[4]?.dial(server.getMultiaddrs()).catch(() => {});
    await new Promise((resolve) => setTimeout(resolve, 250));
  }
  expect(server.getConnections().map(({ remotePeer }) => remotePeer.toString())).toEqual(
    expect.arrayContaining([kept, useful]),
  );
  const next = await start();
  expect((await connect(next, server)).status).toBe('open');
  stop();
});

test('young connections stay', async () => {
  const server = await start({ listen: ['/ip4/127.0.0.1/tcp/0'], connectionsMax: 2 });
  const stop = closeSurplusConnections(server, {
    max: 2,
    min: 1,
    graceMs: 3_600_000,
    isKept: () => false,
    valueOf: () => 0,
  });
  for (const peer of [await start(), await start()]) await connect(peer, server);
  await until(() => server.getConnections().length === 2);
  expect(server.getConnections()).toHaveLength(2);
  stop();
});
