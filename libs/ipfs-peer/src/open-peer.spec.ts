import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createMemoryBlockstore } from '@cairn/blockstore';
import { cidFor } from '@cairn/cid';
import { openPeerIdentity } from '@cairn/peer-api/identity';
import { describePeerApi } from '@cairn/peer-api/testing';
import { afterAll, afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { openPeer, type PeerOptions } from './open-peer.ts';

const homes = mkdtempSync(join(tmpdir(), 'cairn-peers-'));
afterAll(() => rmSync(homes, { recursive: true }));
let homeNumber = 0;

async function open(options: Partial<PeerOptions> = {}) {
  const store = createMemoryBlockstore();
  const identity = await openPeerIdentity({ home: join(homes, String(homeNumber++)) });
  const peer = await openPeer({
    identity,
    store,
    listen: ['/ip4/127.0.0.1/tcp/0', '/ip4/127.0.0.1/tcp/0/ws'],
    allowsPrivate: true,
    ...options,
  });
  const [address = ''] = (await peer.api.describe()).addresses;
  return { ...peer, store, address };
}

describePeerApi('libp2p nodes', async () => {
  const [own, other] = [await open({ routing: 'dhtserver' }), await open({ routing: 'dhtserver' })];
  return {
    api: own.api,
    other: { peer: other.node.peerId.toString(), address: other.address },
    async offer(block) {
      await other.store.putMany([block]);
      other.api.exchange.announce([block.cid]);
    },
    async close() {
      await own.api.close();
      await other.api.close();
    },
  };
});

describe('a peer that dials public addresses only', () => {
  let guarded: Awaited<ReturnType<typeof open>>;
  let other: Awaited<ReturnType<typeof open>>;
  beforeEach(async () => {
    guarded = await open({ allowsPrivate: false });
    other = await open();
  });
  afterEach(async () => {
    await guarded.api.close();
    await other.api.close();
  });

  test('a private address of a provider is refused, and one of the operator is dialled', async () => {
    const bytes = new TextEncoder().encode('guarded');
    const cid = cidFor(bytes, { codec: 'raw' });
    await other.store.putMany([{ cid, bytes }]);
    const peer = other.node.peerId.toString();
    const waiting = guarded.api.exchange.fetch(cid, { providers: [{ peer, addresses: [other.address] }] });
    while (guarded.rules.refused === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    expect(guarded.node.getConnections()).toEqual([]);
    await guarded.api.swarm.connect(other.address);
    expect(Buffer.from(await waiting).equals(Buffer.from(bytes))).toBe(true);
  });

  test('a lost peering connection is opened again, until it is removed', async () => {
    const peer = other.node.peerId.toString();
    const isConnected = async () => (await guarded.api.swarm.peers()).some((open) => open.peer === peer);
    const until = async (expected: boolean) => {
      while ((await isConnected()) !== expected) await new Promise((resolve) => setTimeout(resolve, 20));
    };
    await guarded.api.swarm.addPeering(other.address);
    await until(true);
    while (other.node.getConnections().length === 0) await new Promise((resolve) => setTimeout(resolve, 10));
    await other.api.swarm.disconnect(`/p2p/${guarded.node.peerId}`);
    await until(false);
    await until(true);
    await guarded.api.swarm.removePeering(peer);
    await guarded.api.swarm.disconnect(other.address);
    expect(await isConnected()).toBe(false);
  });
});

test('a provider that a router names without addresses gets those of its peer record', async () => {
  const addresses = ['/ip4/127.0.0.1/tcp/4001'];
  const others = [await open(), await open()];
  const [known, unknown] = others.map(({ node }) => node.peerId.toString());
  const peer = await open({
    routing: 'none',
    routers: [
      {
        async *findProviders() {
          for (const name of [known, unknown]) if (name !== undefined) yield { peer: name, addresses: [] };
        },
        async findPeer(name) {
          if (name !== known) throw new Error('not found');
          return { peer: name, addresses };
        },
      },
    ],
  });
  const found: unknown[] = [];
  for await (const event of peer.api.routing.findProviders(cidFor(Buffer.from('x'), { codec: 'raw' })))
    found.push(event);
  expect(found).toEqual([
    { type: 'provider', provider: { peer: known, addresses } },
    { type: 'provider', provider: { peer: unknown, addresses: [] } },
  ]);
  for (const { api } of [peer, ...others]) await api.close();
});

test('a taken port is named in one line, also when the other addresses are free', async () => {
  const squatter = createServer();
  await new Promise<void>((resolve) => squatter.listen(0, '127.0.0.1', resolve));
  const { port } = squatter.address() as AddressInfo;
  const taken = `/ip4/127.0.0.1/tcp/${port}`;
  await expect(open({ listen: [taken, '/ip4/127.0.0.1/tcp/0/ws'] })).rejects.toMatchObject({
    code: 'LISTEN_FAILED',
    message: `The node cannot listen on ${taken}: the port is taken.`,
    hint: expect.stringContaining('IPFS_PEER_LISTEN'),
  });
  await new Promise((resolve) => squatter.close(resolve));
});
