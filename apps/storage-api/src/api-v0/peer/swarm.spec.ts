import { CairnError } from '@cairn/errors';
import { expect, test } from '@jest/globals';
import { fakePeer, nodeOf, otherId, selfId } from './fake-peer.fixture.ts';
import { operator, runCommand } from './run-command.fixture.ts';

const connected = {
  peer: otherId,
  address: `/ip4/10.0.0.5/tcp/4001/p2p/${otherId}`,
  direction: 'outbound',
  agentVersion: 'kubo/0.42.0',
  latencyMs: 1.19352,
  streams: ['/ipfs/kad/1.0.0', '/ipfs/bitswap/1.2.0'],
} as const;
const undescribed = { ID: '', PublicKey: '', Addresses: null, AgentVersion: '', Protocols: null };

test('swarm/peers lists connections in the fields of Kubo', async () => {
  const peer = fakePeer({ swarm: { peers: async () => [connected] } });
  expect((await runCommand(peer, 'swarm/peers', operator)).values).toEqual([
    { Peers: [{ Addr: '/ip4/10.0.0.5/tcp/4001', Peer: otherId, Identify: undescribed }] },
  ]);
  expect((await runCommand(peer, 'swarm/peers?verbose=true', operator)).values).toEqual([
    {
      Peers: [
        {
          Addr: '/ip4/10.0.0.5/tcp/4001',
          Peer: otherId,
          Latency: '1.19352ms',
          Direction: 2,
          Streams: [{ Protocol: '/ipfs/bitswap/1.2.0' }, { Protocol: '/ipfs/kad/1.0.0' }],
          Identify: {
            ID: otherId,
            PublicKey: nodeOf(otherId).publicKey,
            Addresses: [`/ip4/10.0.0.5/tcp/4001/p2p/${otherId}`, `/ip4/8.8.8.8/tcp/4001/p2p/${otherId}`],
            AgentVersion: 'kubo/0.42.0',
            Protocols: ['/ipfs/bitswap/1.2.0', '/ipfs/ping/1.0.0'],
          },
        },
      ],
    },
  ]);
  const { latencyMs: _, ...unmeasured } = connected;
  const fresh = fakePeer({ swarm: { peers: async () => [{ ...unmeasured, direction: 'inbound' }] } });
  expect((await runCommand(fresh, 'swarm/peers?latency=true&direction=true', operator)).values).toMatchObject([
    { Peers: [{ Latency: 'n/a', Direction: 1 }] },
  ]);
  expect((await runCommand(fakePeer(), 'swarm/peers', operator)).values).toEqual([{ Peers: null }]);
});

test('swarm/addrs lists known addresses and those of this peer without peer IDs', async () => {
  const peer = fakePeer({ swarm: { addresses: async () => new Map([[otherId, [connected.address]]]) } });
  expect((await runCommand(peer, 'swarm/addrs', operator)).values).toEqual([
    {
      Addrs: {
        [otherId]: ['/ip4/10.0.0.5/tcp/4001'],
        [selfId]: ['/ip4/10.0.0.5/tcp/4001', '/ip4/8.8.8.8/tcp/4001'],
      },
    },
  ]);
  expect((await runCommand(peer, 'swarm/addrs/local?id=true', operator)).values).toEqual([
    { Strings: [`/ip4/10.0.0.5/tcp/4001/p2p/${selfId}`, `/ip4/8.8.8.8/tcp/4001/p2p/${selfId}`] },
  ]);
  expect((await runCommand(peer, 'swarm/addrs/listen', operator)).values).toEqual([
    { Strings: ['/ip4/127.0.0.1/tcp/4001'] },
  ]);
});

test('swarm/connect tries the addresses of a peer in order and reports a failure in the words of Kubo', async () => {
  const tried: string[] = [];
  const peer = fakePeer({
    swarm: {
      connect: async (address) => {
        tried.push(address);
        if (!address.includes('/tcp/2/')) throw new CairnError('DIAL_FAILED', 'connection refused');
        return { peer: otherId };
      },
    },
  });
  const [first, second] = [1, 2].map((port) => `/ip4/203.0.113.9/tcp/${port}/p2p/${otherId}`);
  const done = await runCommand(peer, `swarm/connect?arg=${first}&arg=${second}&arg=${second}`, operator);
  expect(done.values).toEqual([{ Strings: [`connect ${otherId} success`] }]);
  expect(tried).toEqual([first, second]);
  expect(await runCommand(peer, `swarm/connect?arg=${first}`, operator)).toMatchObject({
    status: 500,
    message: `connect ${otherId} failure: failed to dial: connection refused`,
  });
});

test('swarm/disconnect has one line for each address', async () => {
  const peer = fakePeer({
    swarm: {
      disconnect: async (address) => {
        if (address.includes('/tcp/')) return { peer: otherId };
        throw new CairnError('PEER_NOT_CONNECTED', 'The peer is not connected.');
      },
    },
  });
  const twice = `swarm/disconnect?arg=/p2p/${otherId}&arg=/p2p/${otherId}`;
  expect((await runCommand(peer, twice, operator)).values).toEqual([
    { Strings: [`disconnect ${otherId} failure: not connected`] },
  ]);
  const query = `swarm/disconnect?arg=/ip4/203.0.113.9/tcp/1/p2p/${otherId}&arg=/p2p/${otherId}`;
  expect((await runCommand(peer, query, operator)).values).toEqual([
    { Strings: [`disconnect ${otherId} success`, `disconnect ${otherId} failure: not connected`] },
  ]);
});

// Words of Kubo 0.42.
test.each([
  ['swarm/connect?arg=nonsense', 'failed to parse multiaddr "nonsense": must begin with /'],
  ['swarm/connect?arg=', 'failed to parse multiaddr "": empty multiaddr'],
  ['swarm/connect?arg=/ip4/127.0.0.1/tcp/1', 'found no ipfs peers at /ip4/127.0.0.1/tcp/1'],
  ['swarm/connect?arg=/foo/1', 'failed to parse multiaddr "/foo/1": unknown protocol foo'],
  [
    'swarm/connect?arg=/ip4/127.0.0.1/tcp/1/p2p/xx',
    'failed to parse multiaddr "/ip4/127.0.0.1/tcp/1/p2p/xx": invalid value "xx" for protocol p2p: failed to parse p2p addr: xx invalid cid: selected encoding not supported',
  ],
  ['swarm/peering/add?arg=nonsense', 'failed to parse multiaddr "nonsense": must begin with /'],
  ['swarm/peering/rm?arg=xx', 'failed to parse peer ID: invalid cid: selected encoding not supported'],
])('%s is refused before anything changes', async (target, message) => {
  expect(await runCommand(fakePeer(), target, operator)).toMatchObject({ status: 400, message });
});

test('swarm/peering lists, adds and removes permanent connections', async () => {
  const peer = fakePeer({
    swarm: {
      peering: async () => [{ peer: otherId, addresses: [connected.address] }],
      addPeering: async () => ({ peer: otherId }),
    },
  });
  expect((await runCommand(peer, 'swarm/peering/ls', operator)).values).toEqual([
    { Peers: [{ ID: otherId, Addrs: ['/ip4/10.0.0.5/tcp/4001'] }] },
  ]);
  const done = [{ ID: otherId, Status: 'success' }];
  const added = `swarm/peering/add?arg=${connected.address}&arg=${connected.address}`;
  expect((await runCommand(peer, added, operator)).values).toEqual(done);
  expect((await runCommand(peer, `swarm/peering/rm?arg=${otherId}`, operator)).values).toEqual(done);
});

// Answers of Kubo 0.42.
test('swarm/filters lists, adds and removes filters in the words of Kubo', async () => {
  const filters = new Set<string>();
  const peer = fakePeer({
    swarm: {
      filters: async () => [...filters],
      addFilters: async (added) => {
        if (added.includes('nonsense')) throw new CairnError('ADDRESS_INVALID', 'no filter');
        for (const filter of added) filters.add(filter);
      },
      removeFilters: async (removed) => removed.filter((filter) => filters.delete(filter)),
    },
  });
  const ten = '/ip4/10.0.0.0/ipcidr/8';
  const run = async (target: string) => (await runCommand(peer, target, operator)).values;
  expect(await run('swarm/filters')).toEqual([{ Strings: null }]);
  expect(await run(`swarm/filters/add?arg=${ten}`)).toEqual([{ Strings: [ten] }]);
  expect(await run('swarm/filters')).toEqual([{ Strings: [ten] }]);
  expect(await runCommand(peer, 'swarm/filters/add?arg=nonsense', operator)).toMatchObject({
    status: 500,
    message: 'invalid multiaddr-filter format',
  });
  expect(await run('swarm/filters/rm?arg=/ip4/99.0.0.0/ipcidr/8')).toEqual([{ Strings: [] }]);
  expect(await run(`swarm/filters/rm?arg=${ten}`)).toEqual([{ Strings: [ten] }]);
  expect(await runCommand(peer, 'swarm/filters')).toMatchObject({ status: 403 });
});
