import { createMemoryBlockstore } from '@cairn/blockstore';
import { expect, test } from '@jest/globals';
import { fakePeer, otherId, selfId } from './fake-peer.fixture.ts';
import { NetworkPermits } from './network-permits.ts';
import { PeerCommand } from './peer-command.ts';
import { operator, sendTo } from './run-command.fixture.ts';
import { swarmConnectOver } from './swarm-connect.ts';

const records: Readonly<Record<string, readonly string[]>> = {
  '_dnsaddr.peers.example': [
    `dnsaddr=/dnsaddr/one.example/p2p/${otherId}`,
    `dnsaddr=/ip4/203.0.113.9/tcp/1/p2p/${otherId}`,
    'dnsaddr=/ip4/203.0.113.9/tcp/1',
    'v=spf1 -all',
  ],
  '_dnsaddr.none.example': ['dnsaddr=/ip4/203.0.113.9/tcp/1'],
};

async function connect(address: string) {
  const dialled: string[] = [];
  const peer = fakePeer({
    swarm: {
      connect: async (each) => {
        dialled.push(each);
        if (each.startsWith('/dnsaddr/')) throw new Error('the first address does not answer');
        return { peer: otherId };
      },
    },
  });
  const readTxt = async (host: string) => {
    const found = records[host];
    if (found === undefined) throw Object.assign(new Error('queryTxt ENOTFOUND'), { code: 'ENOTFOUND' });
    // DNS splits long texts.
    return found.map((text) => [text.slice(0, 20), text.slice(20)]);
  };
  const services = {
    peer,
    permits: new NetworkPermits(),
    pinning: { get: async () => undefined, findAncestorPin: async () => undefined },
    store: createMemoryBlockstore(),
  };
  const command = new PeerCommand(swarmConnectOver(readTxt), services);
  return { ...(await sendTo(command, `arg=${encodeURIComponent(address)}`, operator)), dialled };
}

test('swarm/connect dials the peers that a dnsaddr names', async () => {
  expect(await connect('/dnsaddr/peers.example')).toMatchObject({
    values: [{ Strings: [`connect ${otherId} success`] }],
    dialled: [`/dnsaddr/one.example/p2p/${otherId}`, `/ip4/203.0.113.9/tcp/1/p2p/${otherId}`],
  });
});

// Words of Kubo 0.42.
test.each([
  ['/dnsaddr/none.example', 500, 'found no ipfs peers at /dnsaddr/none.example'],
  ['/dnsaddr/absent.example', 500, 'lookup _dnsaddr.absent.example: no such host'],
  ['/dns4/peers.example/tcp/1', 400, 'found no ipfs peers at /dns4/peers.example/tcp/1'],
  [`/ip4/127.0.0.1/tcp/1/p2p/${selfId}`, 500, `connect ${selfId} failure: failed to dial: dial to self attempted`],
])('swarm/connect to %s fails without a dial', async (address, status, message) => {
  expect(await connect(address)).toMatchObject({ status, message, dialled: [] });
});
