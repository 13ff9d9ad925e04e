import { expect, test } from '@jest/globals';
import { refusals } from './refusals.ts';
import { refusedCommands } from './refused-command.ts';

test('every refusal has one command, whose response is an error with the reason', async () => {
  expect(new Set(refusedCommands.map(({ name }) => name)).size).toBe(refusals.size);
  for (const command of refusedCommands) {
    await expect(command.run()).rejects.toMatchObject({ message: refusals.get(command.name)?.message });
  }
});

test.each([
  ['provide/clear', 500, /^provide\/clear is refused: the queue has the announcements of all accounts/],
  ['dht/findprovs', 500, /^removed, use 'ipfs routing' instead$/],
  ['config/replace', 500, /^config\/replace is refused: it belongs to the operator/],
  ['shutdown', 500, /^shutdown is refused: it belongs to the operator/],
  // Answers of Kubo 0.42 with its default settings.
  ['filestore/ls', 500, /^filestore is not enabled, see https:\/\/git\.io\/vNItf$/],
  ['pubsub/ls', 500, /^experimental pubsub feature not enabled, run daemon with --enable-pubsub-experiment to use$/],
  ['p2p/ls', 500, /^libp2p stream mounting not enabled$/],
  ['name/pubsub/subs', 400, /^IPNS pubsub subsystem is not enabled$/],
  ['pin/remote/ls', 500, /^service not known$/],
  ['object/get', 500, /^removed, use 'ipfs dag' or 'ipfs files' instead$/],
])('%s is refused with %s and its reason', async (name, status, message) => {
  const command = refusedCommands.find((each) => each.name === name);
  await expect(command?.run()).rejects.toMatchObject({ status, message: expect.stringMatching(message) });
});

test('a refused command still requires the argument that Kubo requires', () => {
  const argsOf = (name: string) => refusedCommands.find((command) => command.name === name)?.args;
  expect(argsOf('config/profile/apply')).toEqual({ name: 'profile', min: 1, max: 1 });
  expect(argsOf('log/ls')).toEqual({ name: '', min: 0, max: 1 });
});
