import { parseCid } from '@cairn/cid';
import { expect, test } from '@jest/globals';
import { fakePeer, otherId, selfId } from './fake-peer.fixture.ts';
import { operator, runCommand } from './run-command.fixture.ts';
import { compareVersions } from './version-check.ts';

const cid = 'bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy';
const status = {
  wantlist: [parseCid(cid)],
  peers: [otherId],
  blocksReceived: 1,
  bytesReceived: 2,
  duplicateBlocks: 3,
  duplicateBytes: 4,
  blocksSent: 5,
  bytesSent: 6,
  messagesReceived: 7,
};

test.each(['bitswap/stat', 'stats/bitswap'])('%s hides wants and partners from accounts', async (name) => {
  const peer = fakePeer({ bitswap: { status: async () => status } });
  const counts = {
    BlocksReceived: 1,
    DataReceived: 2,
    DupBlksReceived: 3,
    DupDataReceived: 4,
    MessagesReceived: 7,
    BlocksSent: 5,
    DataSent: 6,
  };
  expect((await runCommand(peer, name)).values).toEqual([{ Wantlist: [], Peers: [], ...counts }]);
  expect((await runCommand(peer, name, operator)).values).toEqual([
    { Wantlist: [{ '/': cid }], Peers: [otherId], ...counts },
  ]);
});

test('bitswap/wantlist lists the wants of this peer or of another one', async () => {
  const asked: (string | undefined)[] = [];
  const peer = fakePeer({
    bitswap: {
      wantlist: async (id) => {
        asked.push(id);
        return id === undefined ? status.wantlist : [];
      },
    },
  });
  expect((await runCommand(peer, 'bitswap/wantlist', operator)).values).toEqual([{ Keys: [{ '/': cid }] }]);
  expect((await runCommand(peer, `bitswap/wantlist?peer=${selfId}`, operator)).values).toEqual([
    { Keys: [{ '/': cid }] },
  ]);
  expect((await runCommand(peer, `bitswap/wantlist?peer=${otherId}`, operator)).values).toEqual([{ Keys: null }]);
  expect(asked).toEqual([undefined, undefined, otherId]);
});

test('bitswap/ledger has the debt ratio of boxo', async () => {
  const ledger = { peer: otherId, sentBytes: 30, receivedBytes: 9, exchangedBlocks: 2 };
  const peer = fakePeer({ bitswap: { ledger: async () => ledger } });
  expect((await runCommand(peer, `bitswap/ledger?arg=${otherId}`, operator)).values).toEqual([
    { Peer: otherId, Value: 3, Sent: 30, Recv: 9, Exchanged: 2 },
  ]);
});

test('stats/dht lists the table as wan, and reports a peer without a DHT', async () => {
  const peer = fakePeer({
    routing: { status: async () => ({ mode: 'server', buckets: [{ prefixBits: 0, peers: [otherId] }] }) },
  });
  const row = { ID: otherId, Connected: false, AgentVersion: '', LastUsefulAt: '', LastQueriedAt: '' };
  expect((await runCommand(peer, 'stats/dht', operator)).values).toEqual([
    { Name: 'wan', Buckets: [{ LastRefresh: '', Peers: [row] }] },
    { Name: 'lan', Buckets: [] },
  ]);
  expect(await runCommand(fakePeer(), 'stats/dht', operator)).toMatchObject({
    status: 500,
    message: 'routing service is not a DHT',
  });
  expect(await runCommand(peer, 'stats/dht?arg=foo', operator)).toMatchObject({
    status: 400,
    message: 'unknown dht type: foo',
  });
});

test.each(['provide/stat', 'stats/provide', 'stats/reprovide'])('%s has the counts of the schedule', async (name) => {
  const counts = { records: 9, waiting: 2, announced: 7, failed: 1, oldestSeconds: 60 };
  const peer = fakePeer({ provide: { status: async () => counts } });
  expect((await runCommand(peer, name, operator)).values).toMatchObject([
    {
      Sweep: {
        connectivity: { status: 'offline' },
        queues: { pending_key_provides: 2 },
        schedule: { keys: 9 },
        operations: { past: { keys_provided: 7, keys_failed: 1 } },
      },
      Legacy: null,
      FullRT: false,
    },
  ]);
});

test.each([
  [true, 'online'],
  [false, 'offline'],
])('provide/stat of a connected peer whose routing answers %s is %s', async (isOnline, status) => {
  const counts = { records: 9, waiting: 9, announced: 0, failed: 0, isOnline };
  const connection = { peer: otherId, address: '/ip4/8.8.8.8/tcp/4001', direction: 'inbound', streams: [] } as const;
  const peer = fakePeer({
    provide: { status: async () => counts },
    swarm: { peers: async () => [connection] },
  });
  expect((await runCommand(peer, 'provide/stat', operator)).values).toMatchObject([
    { Sweep: { connectivity: { status } } },
  ]);
});

test('bootstrap lists the addresses of the settings, and changes name the setting', async () => {
  const peer = fakePeer({ bootstrapAddresses: async () => ['/ip4/8.8.8.8/tcp/1/p2p/x'] });
  for (const name of ['bootstrap', 'bootstrap/list'])
    expect((await runCommand(peer, name, operator)).values).toEqual([{ Peers: ['/ip4/8.8.8.8/tcp/1/p2p/x'] }]);
  for (const name of ['bootstrap/add', 'bootstrap/rm', 'bootstrap/rm/all'])
    expect(await runCommand(peer, name, operator)).toMatchObject({
      status: 500,
      message: expect.stringContaining('IPFS_PEER_BOOTSTRAP'),
    });
});

test('compareVersions counts peers of the same software with a newer release', () => {
  const agents = ['cairn/0.2.0', 'cairn/0.10.0', 'cairn/0.1.0', 'kubo/0.42.0', 'cairn/9.0.0-rc1', ''];
  expect(compareVersions('0.1.0', agents, 50)).toEqual({
    UpdateAvailable: true,
    RunningVersion: '0.1.0',
    GreatestVersion: '0.10.0',
    PeersSampled: 4,
    WithGreaterVersion: 2,
  });
  expect(compareVersions('0.1.0', [], 5)).toMatchObject({ UpdateAvailable: false, PeersSampled: 1 });
});
