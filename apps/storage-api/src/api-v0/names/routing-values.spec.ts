import { expect, test } from '@jest/globals';
import type { Command } from '../command.ts';
import { otherId } from '../peer/fake-peer.fixture.ts';
import { sendTo } from '../peer/run-command.fixture.ts';
import { RoutingGetCommand } from './routing-values.command.ts';

const get = (key: string) => {
  const records = { requireOnline: () => {}, get: async () => Buffer.from('record') };
  return sendTo(new RoutingGetCommand(records as never) as Command, `arg=${key}`);
};

test('routing/get returns the record of a name', async () => {
  const { values } = await get(`/ipns/${otherId}`);
  expect(values).toEqual([{ ID: '', Type: 5, Responses: null, Extra: Buffer.from('record').toString('base64') }]);
});

// Messages of Kubo 0.42.
test.each([
  [`/pk/${otherId}`, 'routing: not found'],
  ['/pk/QmaCpDMGvV2BGHeYERUEnRQAwe3N8SzbUtfsmvsqQLuvuJ', 'routing: not found'],
  ['/pk/', 'failed to parse peer ID: invalid cid: cid too short'],
  ['/pk/abc', 'failed to parse peer ID: invalid cid: selected encoding not supported'],
  ['/foo/abc', 'invalid key'],
  [otherId, 'invalid key'],
])('routing/get refuses %s in the words of Kubo', async (key, message) => {
  expect(await get(key)).toMatchObject({ status: 500, message });
});
