import { cidFor, parseCid } from '@cairn/cid';
import { PeerApiError, type RoutingEvent } from '@cairn/peer-api';
import { expect, test } from '@jest/globals';
import { ClosestPeers } from './closest-peers.ts';
import { failureResponse } from './gateway-failure.ts';

const key = parseCid('bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy');
const near = '12D3KooWD3eckifWpRn9wQpMG9R9hX3sD158z7EqHWmweQAJU5SA';
const far = '12D3KooWHwBjJEM57c1Ejd3Cy5RNvxTRq5QEPhJV528LTNHdeEd2';
const outside = '/ip4/8.8.8.8/tcp/4001';
const events: readonly RoutingEvent[] = [
  { type: 'query', peer: near },
  { type: 'peer', provider: { peer: near, addresses: [`${outside}/p2p/${near}`, '/ip4/10.0.0.1/tcp/4001'] } },
  { type: 'peer', provider: { peer: far, addresses: ['/ip6/fe80::1/tcp/4001', '/dns4/nas.local/tcp/4001'] } },
];

test('find lists found nodes without private addresses and local names, unless the network is private', async () => {
  const asked: string[] = [];
  const closest = new ClosestPeers({
    routing: {
      async *findClosest(text) {
        asked.push(text);
        yield* events;
      },
    },
  });
  expect(await closest.find(key, { isPrivate: false })).toEqual([{ id: near, addresses: [outside] }]);
  expect(asked).toEqual([key.toString()]);
  expect(await closest.find(key, { isPrivate: true })).toEqual([
    { id: near, addresses: [outside, '/ip4/10.0.0.1/tcp/4001'] },
    { id: far, addresses: ['/ip6/fe80::1/tcp/4001', '/dns4/nas.local/tcp/4001'] },
  ]);
});

test('find shares equal searches and refuses a ninth one', async () => {
  const started: string[] = [];
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const closest = new ClosestPeers({
    routing: {
      async *findClosest(text) {
        started.push(text);
        await ended;
        yield* events;
      },
    },
  });
  const keys = Array.from({ length: 9 }, (_, index) => cidFor(Uint8Array.of(index), { codec: 'raw' }));
  const [first = key, ...others] = keys;
  const searches = [first, first, ...others.slice(0, 7)].map((each) => closest.find(each, { isPrivate: true }));
  await expect(closest.find(keys[8] ?? key, { isPrivate: true })).rejects.toMatchObject({ code: 'LIMIT_REACHED' });
  end();
  expect((await Promise.all(searches)).map(({ length }) => length)).toEqual(Array(9).fill(2));
  expect(started).toEqual(keys.slice(0, 8).map(String));
  expect(await closest.find(keys[8] ?? key, { isPrivate: true })).toHaveLength(2);
});

test('find reports a peer that does not answer without its address', async () => {
  const closest = new ClosestPeers({
    routing: {
      // biome-ignore lint/correctness/useYield: the search fails before its first event.
      async *findClosest() {
        throw new PeerApiError('PEER_UNAVAILABLE', 'The peer at http://10.0.0.1:5011 does not answer.');
      },
    },
  });
  const error = await closest.find(key, { isPrivate: true }).catch((failure: unknown) => failure);
  expect(failureResponse(error, 'id')).toMatchObject({
    status: 503,
    text: 'The DHT of this node does not answer. Retry later.',
    headers: { 'retry-after': '5' },
  });
});
