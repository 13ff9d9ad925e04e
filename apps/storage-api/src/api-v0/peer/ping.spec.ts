import { CairnError } from '@cairn/errors';
import type { Ping } from '@cairn/peer-api';
import { expect, test } from '@jest/globals';
import { fakePeer, otherId, selfId } from './fake-peer.fixture.ts';
import { operator, runCommand } from './run-command.fixture.ts';

const peerThat = (pings: readonly Ping[], onConnect: (address: string) => void = () => {}) =>
  fakePeer({
    async *ping() {
      yield* pings;
    },
    swarm: {
      connect: async (address) => {
        onConnect(address);
        return { peer: otherId };
      },
    },
  });
const pong: Ping = { isSuccess: true, latencyMs: 3.47726, text: '' };

test('ping writes the lines of Kubo', async () => {
  expect((await runCommand(peerThat([pong]), `ping?arg=${otherId}&count=1`)).values).toEqual([
    { Success: true, Time: 0, Text: `Looking up peer ${otherId}` },
    { Success: true, Time: 0, Text: `PING ${otherId}.` },
    { Success: true, Time: 3_477_260, Text: '' },
    { Success: true, Time: 0, Text: 'Average latency: 3.48ms' },
  ]);
});

test('ping without an answer ends with a trailer', async () => {
  const failed: Ping = { isSuccess: false, latencyMs: 0, text: 'Ping error: connect ECONNREFUSED 10.0.0.7:4001' };
  const { status, values, message } = await runCommand(peerThat([failed]), `ping?arg=${otherId}&count=1`);
  expect([status, message]).toEqual([200, 'ping failed']);
  expect(values.at(-1)).toEqual({ Success: false, Time: 0, Text: 'Ping error: the peer did not answer' });
  const shown = await runCommand(peerThat([failed]), `ping?arg=${otherId}&count=1`, operator);
  expect(shown.values.at(-1)).toMatchObject({ Text: failed.text });
});

test('only an operator names the address of a pinged peer', async () => {
  const dialled: string[] = [];
  const peer = peerThat([pong], (address) => dialled.push(address));
  const target = `ping?arg=/ip4/10.0.0.5/tcp/22/p2p/${otherId}&count=1`;
  expect(await runCommand(peer, target)).toMatchObject({ status: 403, message: expect.stringContaining('"node"') });
  expect(dialled).toEqual([]);
  expect((await runCommand(peer, target, operator)).status).toBe(200);
  expect(dialled).toEqual([`/ip4/10.0.0.5/tcp/22/p2p/${otherId}`]);
});

test('ping of an address that does not answer ends with a trailer', async () => {
  const failed: Ping = { isSuccess: false, latencyMs: 0, text: 'Ping error: connect ECONNREFUSED 10.0.0.5:22' };
  const peer = peerThat([failed], () => {
    throw new CairnError('DIAL_FAILED', 'The peer cannot be dialled.');
  });
  const answer = await runCommand(peer, `ping?arg=/ip4/10.0.0.5/tcp/22/p2p/${otherId}&count=1`, operator);
  expect(answer).toEqual({
    status: 200,
    values: [
      { Success: true, Time: 0, Text: `PING ${otherId}.` },
      { Success: false, Time: 0, Text: failed.text },
    ],
    message: 'ping failed',
  });
});

// Words of Kubo 0.42.
test.each([
  [
    'ping?arg=nonsense',
    400,
    "failed to parse peer address 'nonsense': failed to parse peer ID: invalid cid: selected encoding not supported",
  ],
  [`ping?arg=${otherId}&count=0`, 400, 'ping count must be greater than 0, was 0'],
  [`ping?arg=${selfId}`, 500, "error: can't ping self"],
])('%s is refused with %s', async (target, status, message) => {
  expect(await runCommand(peerThat([pong]), target)).toMatchObject({ status, message });
});
