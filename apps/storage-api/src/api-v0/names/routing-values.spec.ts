import type { PeerApi } from '@cairn/peer-api';
import { PeerApiError } from '@cairn/peer-api';
import { expect, test } from '@jest/globals';
import type { Command } from '../command.ts';
import { fakePeer, otherId, selfId } from '../peer/fake-peer.fixture.ts';
import { NetworkPermits } from '../peer/network-permits.ts';
import { sendTo } from '../peer/run-command.fixture.ts';
import { parseName } from './name-text.ts';
import { RoutingGetCommand } from './routing-values.command.ts';

const publicKeyOf = (id: string) => Buffer.concat([Buffer.from('/pk/'), parseName(id).multihash.bytes]);

/** Peer whose DHT has the public key of one node. */
const peer = fakePeer({
  routing: {
    async get(key) {
      if (publicKeyOf(otherId).equals(key)) return Buffer.from('public key');
      throw new PeerApiError('RECORD_NOT_FOUND', 'There is no record of this key.');
    },
  },
});

function get(query: string, api: PeerApi | undefined = peer) {
  const records = { requireOnline: () => {}, get: async () => Buffer.from('record') };
  return sendTo(new RoutingGetCommand(records as never, api, new NetworkPermits()) as Command, `arg=${query}`);
}

const eventOf = (text: string) => [{ ID: '', Type: 5, Responses: null, Extra: Buffer.from(text).toString('base64') }];

test('routing/get returns the record of a name, and the public key of a peer', async () => {
  expect((await get(`/ipns/${otherId}`)).values).toEqual(eventOf('record'));
  expect((await get(`/pk/${otherId}`)).values).toEqual(eventOf('public key'));
});

// Messages of Kubo 0.42.
test.each([
  [`/pk/${selfId}`, 'routing: not found'],
  [`/pk/${otherId}&offline=true`, 'routing: not found'],
  ['/pk/', 'failed to parse peer ID: invalid cid: cid too short'],
  ['/pk/abc', 'failed to parse peer ID: invalid cid: selected encoding not supported'],
  ['/foo/abc', 'invalid key'],
  [otherId, 'invalid key'],
])('routing/get refuses %s in the words of Kubo', async (query, message) => {
  expect(await get(query)).toMatchObject({ status: 500, message });
});

test('routing/get of a public key without a DHT is not found', async () => {
  const unavailable = async () => Promise.reject(new PeerApiError('ROUTING_UNAVAILABLE', 'There is no DHT.'));
  expect(await get(`/pk/${otherId}`, fakePeer({ routing: { get: unavailable } }))).toMatchObject({
    status: 500,
    message: 'routing: not found',
  });
});
