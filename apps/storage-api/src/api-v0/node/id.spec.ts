import { CairnError } from '@cairn/errors';
import type { PeerApi } from '@cairn/peer-api';
import { describe, expect, test } from '@jest/globals';
import type { Command } from '../command.ts';
import { fakePeer, nodeOf, otherId, selfId } from '../peer/fake-peer.fixture.ts';
import { NetworkPermits } from '../peer/network-permits.ts';
import { operator, type RunOptions, sendTo } from '../peer/run-command.fixture.ts';
import { IdCommand } from './id.command.ts';

const own = { id: otherId, publicKey: 'stored' };

/** Sends `id` to a service with this peer. Its stored identity is {@link own}. */
async function id(peer: PeerApi | undefined, query = '', options: RunOptions = {}) {
  const identity = { get: async () => own } as never;
  const command: Command = new IdCommand(identity, peer, new NetworkPermits());
  return await sendTo(command, query, options);
}

describe('id', () => {
  test('describes this node; accounts see its public addresses only', async () => {
    const expected = {
      ID: selfId,
      PublicKey: nodeOf(selfId).publicKey,
      AgentVersion: 'kubo/0.42.0',
      ProtocolVersion: 'ipfs/0.1.0',
      Protocols: ['/ipfs/bitswap/1.2.0', '/ipfs/ping/1.0.0'],
    };
    const shared = `/ip4/8.8.8.8/tcp/4001/p2p/${selfId}`;
    expect((await id(fakePeer())).values).toEqual([{ ...expected, Addresses: [shared] }]);
    expect((await id(fakePeer(), '', operator)).values).toEqual([
      { ...expected, Addresses: [`/ip4/10.0.0.5/tcp/4001/p2p/${selfId}`, shared] },
    ]);
  });

  test('prints the ID in the base of the option', async () => {
    const base36 = 'k51qzi5uqu5dl7ag3fiktr06jdqiycj966by2w4ek3f04c4algtbxnuqf79rdj';
    for (const query of [`arg=${otherId}&peerid-base=base36`, `arg=${base36}&peerid-base=base36`])
      expect((await id(fakePeer(), query)).values).toMatchObject([{ ID: base36 }]);
    expect((await id(fakePeer(), `arg=${base36}`)).values).toMatchObject([{ ID: otherId }]);
  });

  test('describes a node without addresses while the process of the peer does not answer', async () => {
    const unavailable = () => Promise.reject(new CairnError('PEER_UNAVAILABLE', 'The peer does not answer.'));
    for (const peer of [undefined, fakePeer({ describe: unavailable })])
      expect((await id(peer)).values).toMatchObject([{ ID: otherId, PublicKey: 'stored', Addresses: [] }]);
  });

  test('finds no other node without a peer, except with offline', async () => {
    expect(await id(undefined, `arg=${selfId}`)).toMatchObject({
      status: 500,
      message: expect.stringContaining('cannot query information on remote peers without a running daemon'),
    });
    expect((await id(undefined, `arg=${selfId}&offline=true`)).values).toMatchObject([
      { ID: selfId, PublicKey: expect.stringMatching(/^CAES/), Addresses: [`/p2p/${selfId}`], AgentVersion: '' },
    ]);
  });

  test('describes another node with offline by what the peer knows', async () => {
    const asked: unknown[] = [];
    const knowing = fakePeer({
      describe: async (peer = selfId, { isLocal = false } = {}) => {
        if (peer !== selfId) asked.push([peer, isLocal]);
        return nodeOf(peer);
      },
    });
    expect((await id(knowing, `arg=${otherId}&offline=true`)).values).toMatchObject([
      { ID: otherId, AgentVersion: 'kubo/0.42.0', Addresses: [`/ip4/8.8.8.8/tcp/4001/p2p/${otherId}`] },
    ]);
    expect(asked).toEqual([[otherId, true]]);
    const unknowing = fakePeer({
      describe: async (peer) => {
        if (peer === undefined) return nodeOf(selfId);
        throw new CairnError('PEER_NOT_FOUND', 'The peer was not found.');
      },
    });
    expect((await id(unknowing, `arg=${otherId}&offline=true`)).values).toMatchObject([
      { ID: otherId, PublicKey: expect.stringMatching(/^CAES/), Addresses: [`/p2p/${otherId}`], AgentVersion: '' },
    ]);
  });

  test('hides addresses in the reason of a failed dial from accounts', async () => {
    const failing = fakePeer({
      describe: async (peer) => {
        if (peer === undefined) return nodeOf(selfId);
        throw new CairnError('DIAL_FAILED', 'connect ECONNREFUSED 10.0.0.7:4001');
      },
    });
    expect(await id(failing, `arg=${otherId}`)).toMatchObject({
      status: 500,
      message: `failed to dial: failed to dial ${otherId}`,
    });
    expect(await id(failing, `arg=${otherId}`, operator)).toMatchObject({
      message: expect.stringContaining('10.0.0.7'),
    });
    expect(await id(fakePeer(), 'arg=notapeer')).toMatchObject({ status: 500, message: 'invalid peer id' });
  });
});
