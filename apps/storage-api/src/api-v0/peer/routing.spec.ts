import { createMemoryBlockstore } from '@cairn/blockstore';
import { cidFor } from '@cairn/cid';
import { CairnError } from '@cairn/errors';
import type { RoutingEvent } from '@cairn/peer-api';
import { expect, test } from '@jest/globals';
import { fakePeer, otherId, selfId } from './fake-peer.fixture.ts';
import { operator, runCommand } from './run-command.fixture.ts';

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy';
const provider = { peer: otherId, addresses: ['/ip4/10.0.0.5/tcp/4001', '/ip4/8.8.8.8/tcp/4001'] };
const connection = { peer: otherId, address: '/ip4/8.8.8.8/tcp/4001', direction: 'inbound', streams: [] } as const;
const events: readonly RoutingEvent[] = [
  { type: 'query', peer: otherId },
  { type: 'response', peer: otherId, closer: [provider] },
  { type: 'error', peer: otherId, message: 'connect ECONNREFUSED 10.0.0.7:22' },
  { type: 'provider', provider },
];
async function* from<T>(items: Iterable<T>): AsyncGenerator<T> {
  yield* items;
}

test('routing/findprovs writes the events of Kubo; accounts see public addresses and no reasons of failures', async () => {
  const peer = fakePeer({ routing: { findProviders: () => from(events) } });
  const visible = [{ ID: otherId, Addrs: ['/ip4/8.8.8.8/tcp/4001'] }];
  expect((await runCommand(peer, `routing/findprovs?arg=${cid}`)).values).toEqual([
    { Extra: '', ID: otherId, Responses: null, Type: 0 },
    { Extra: '', ID: otherId, Responses: visible, Type: 1 },
    { Extra: 'the query of a peer failed', ID: otherId, Responses: null, Type: 3 },
    { Extra: '', ID: '', Responses: visible, Type: 4 },
  ]);
  const { values } = await runCommand(peer, `routing/findprovs?arg=/ipfs/${cid}`, operator);
  expect(values[1]).toMatchObject({ Responses: [{ ID: otherId, Addrs: provider.addresses }] });
  expect(values[2]).toMatchObject({ Extra: 'connect ECONNREFUSED 10.0.0.7:22' });
});

// Recorded with Kubo 0.42.
test('dht/query writes the events of Kubo, with the found nodes as lines of type 2', async () => {
  const found: readonly RoutingEvent[] = [...events.slice(0, 2), { type: 'peer', provider }];
  const peer = fakePeer({ routing: { findClosest: () => from(found) } });
  expect((await runCommand(peer, `dht/query?arg=${otherId}`, operator)).values).toEqual([
    { Extra: '', ID: otherId, Responses: null, Type: 0 },
    { Extra: '', ID: otherId, Responses: [{ ID: otherId, Addrs: provider.addresses }], Type: 1 },
    { Extra: '', ID: otherId, Responses: null, Type: 2 },
  ]);
  expect(await runCommand(peer, 'dht/query?arg=x', operator)).toMatchObject({
    status: 400,
    message: 'invalid peer ID',
  });
});

test('routing/findprovs ends after the requested providers and ends the search', async () => {
  let isEnded = false;
  async function* endless(): AsyncGenerator<RoutingEvent> {
    try {
      while (true) yield { type: 'provider', provider };
    } finally {
      isEnded = true;
    }
  }
  const peer = fakePeer({ routing: { findProviders: endless } });
  const { values } = await runCommand(peer, `routing/findprovs?arg=${cid}&num-providers=3`);
  expect(values).toHaveLength(3);
  expect(isEnded).toBe(true);
});

test('routing/findprovs writes at most 10,000 lines of progress', async () => {
  async function* busy(): AsyncGenerator<RoutingEvent> {
    for (let count = 0; count < 10_500; count++) yield { type: 'query', peer: otherId };
    yield { type: 'provider', provider };
  }
  const { values } = await runCommand(fakePeer({ routing: { findProviders: busy } }), `routing/findprovs?arg=${cid}`);
  expect(values).toHaveLength(10_001);
});

test('a search ends when the client does, also where the peer does not end it', async () => {
  const controller = new AbortController();
  let isAsked = false;
  const peer = fakePeer({
    routing: {
      async *findProviders() {
        isAsked = true;
        setTimeout(() => controller.abort(new CairnError('TEST', 'the client closed the connection')), 10);
        yield await new Promise<RoutingEvent>(() => {});
      },
    },
  });
  const { status, message } = await runCommand(peer, `routing/findprovs?arg=${cid}`, { signal: controller.signal });
  expect([status, message, isAsked]).toEqual([500, 'the client closed the connection', true]);
});

test('routing/findpeer writes the final peer, or an error and its trailer', async () => {
  const found: RoutingEvent = { type: 'peer', provider };
  const peer = fakePeer({ routing: { findPeer: () => from([found]) } });
  expect((await runCommand(peer, `routing/findpeer?arg=${otherId}`, operator)).values).toEqual([
    { Extra: '', ID: '', Responses: [{ ID: otherId, Addrs: provider.addresses }], Type: 2 },
  ]);
  async function* lostSearch(): AsyncGenerator<RoutingEvent> {
    yield* events.slice(0, 1);
    throw new CairnError('PEER_NOT_FOUND', 'The peer was not found.');
  }
  const lost = fakePeer({ routing: { findPeer: lostSearch } });
  expect(await runCommand(lost, `routing/findpeer?arg=${otherId}`)).toEqual({
    status: 200,
    values: [
      { Extra: '', ID: otherId, Responses: null, Type: 0 },
      { Extra: 'routing: not found', ID: '', Responses: null, Type: 3 },
    ],
    message: 'routing: not found',
  });
  expect(await runCommand(lost, `routing/findpeer?arg=${selfId}`)).toMatchObject({
    status: 500,
    message: 'finding your own node in the DHT is currently not supported',
  });
});

test.each([
  ['routing/findprovs?arg=x', 'invalid cid: cid too short'],
  [`routing/findprovs?arg=${cid}&num-providers=0`, 'number of providers must be greater than 0'],
  ['routing/findpeer?arg=xx', 'failed to parse peer ID: invalid cid: selected encoding not supported'],
  [`routing/findpeer?arg=${cid}`, `can't convert CID of type "raw" to a peer ID`],
  [`routing/findpeer?arg=1${'1'.repeat(5000)}`, 'failed to parse peer ID: it is longer than 256 characters'],
  ['provide/once?arg=x', 'invalid CID "x": invalid cid: cid too short'],
])('%s is refused in the words of Kubo', async (target, message) => {
  expect(await runCommand(fakePeer(), target)).toMatchObject({ status: 400, message });
});

test('routing/provide publishes stored blocks that the account has pinned, and others for operators only', async () => {
  const store = createMemoryBlockstore();
  const bytes = Buffer.from('pinned');
  const stored = cidFor(bytes, { codec: 'raw' });
  await store.putMany([{ cid: stored, bytes }]);
  const published: string[] = [];
  const peer = fakePeer({
    swarm: { peers: async () => [connection] },
    routing: {
      provide: (cids) => {
        published.push(...cids.map(String));
        return from([]);
      },
    },
  });
  const target = `routing/provide?arg=${stored}`;
  expect(await runCommand(peer, target, { store })).toMatchObject({
    status: 403,
    message: expect.stringMatching(/^this account has not pinned .*`cairn key limit --grants node`\.$/),
  });
  expect(published).toEqual([]);
  const pin = { cid: stored, mode: 'recursive', createdAt: 0 } as never;
  const pinning = { get: async () => pin, findAncestorPin: async () => undefined };
  expect(await runCommand(peer, target, { store, pinning })).toMatchObject({ status: 200, values: [] });
  expect((await runCommand(peer, `provide/once?arg=${stored}&arg=${stored}`, { store, ...operator })).values).toEqual([
    { Queued: String(stored) },
  ]);
  expect(published).toEqual([String(stored), String(stored)]);
  expect(await runCommand(peer, `routing/provide?arg=${cid}`, { store })).toMatchObject({
    status: 500,
    message: `block ${cid} not found locally, cannot provide`,
  });
});

test('routing/provide reports that no record was published', async () => {
  const store = createMemoryBlockstore();
  const bytes = Buffer.from('lonely');
  const stored = cidFor(bytes, { codec: 'raw' });
  await store.putMany([{ cid: stored, bytes }]);
  const peer = fakePeer({
    swarm: { peers: async () => [connection] },
    routing: { provide: () => from([{ type: 'error', message: 'no peers' } as const]) },
  });
  expect(await runCommand(peer, `routing/provide?arg=${stored}`, { store, ...operator })).toMatchObject({
    status: 500,
    message: 'error providing cid: no peers',
  });
  expect(await runCommand(fakePeer(), `routing/provide?arg=${stored}`, { store, ...operator })).toMatchObject({
    status: 500,
    message: 'cannot provide, no connected peers',
  });
});
