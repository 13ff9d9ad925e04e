import { expect, test } from '@jest/globals';
import { peerCommandDefinitions } from './commands.ts';
import { fakePeer, otherId } from './fake-peer.fixture.ts';
import { NetworkPermits } from './network-permits.ts';
import { operator, runCommand } from './run-command.fixture.ts';

const argsOf = ({ args: { min, name } }: (typeof peerCommandDefinitions)[number]) => {
  if (min === 0) return '';
  if (name === 'address') return `?arg=/ip4/203.0.113.9/tcp/1/p2p/${otherId}`;
  return ['key', 'cid'].includes(String(name))
    ? '?arg=bafkreigh2akiscaildcqabsyg3dfr6chu3fgpregiymsck7e7aqa4s52zy'
    : `?arg=${otherId}`;
};

const withGrant = peerCommandDefinitions.filter(({ grant }) => grant === 'node');

test.each(withGrant.map((definition) => [definition.name, definition] as const))(
  '%s refuses a key without the grant "node", and names the command that gives it',
  async (name, definition) => {
    for (const policy of [{}, { grants: ['send'] as const }, { storage: ['read', 'add', 'pin'] as const }])
      expect(await runCommand(fakePeer(), `${name}${argsOf(definition)}`, { policy })).toMatchObject({
        status: 403,
        message: expect.stringMatching(/scope "node".*`cairn key limit --grants node`/),
      });
  },
);

test.each(peerCommandDefinitions.map((definition) => [definition.name, definition] as const))(
  '%s responds like an offline Kubo without a peer, with and without the grant',
  async (name, definition) => {
    if (definition.file !== undefined) return;
    for (const options of [{}, operator])
      expect(await runCommand(undefined, `${name}${argsOf(definition)}`, options)).toMatchObject({
        status: definition.offline.status,
        message: definition.offline.message,
      });
  },
);

test('commands that cause traffic take a permit, and the ninth of an account gets 429', async () => {
  const permits = new NetworkPermits();
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const held = Array.from({ length: 8 }, () => permits.run('ann', () => ended));
  const peer = fakePeer({ routing: { findPeer: async function* () {} } });
  expect(await runCommand(peer, `routing/findpeer?arg=${otherId}`, { permits })).toMatchObject({
    status: 429,
    message: '8 network requests of this account are under way, the most allowed; try again in a moment',
  });
  end();
  await Promise.all(held);
  expect(await runCommand(peer, `routing/findpeer?arg=${otherId}`, { permits })).toMatchObject({ status: 200 });
});

test('all accounts together get at most 64 permits', async () => {
  const permits = new NetworkPermits();
  let end = () => {};
  const ended = new Promise<void>((resolve) => {
    end = resolve;
  });
  const held = Array.from({ length: 64 }, (_, index) => permits.run(`account ${index % 16}`, () => ended));
  await expect(permits.run('bob', async () => {})).rejects.toMatchObject({ status: 429 });
  end();
  await Promise.all(held);
  await permits.run('bob', async () => {});
});
