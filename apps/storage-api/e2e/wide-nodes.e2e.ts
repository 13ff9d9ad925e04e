import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { Service } from './service.ts';

// The reference codec of dag-pb makes an object of each link before it checks one.
const memoryMibMax = 600;

const service = new Service();
beforeAll(async () => {
  await service.makeAccounts();
  await service.start({ STORAGE_BLOCK_WAIT_SECONDS: '0' });
});
afterAll(() => service.remove());

test('a node of a million links without CIDs is reported as invalid by every command', async () => {
  const bytes = Buffer.alloc(2_000_000, Buffer.from('1200', 'hex'));
  const form = new FormData();
  form.set('file', new Blob([bytes]), 'node');
  const put = await service.post('block/put?cid-codec=dag-pb&allow-big-block=true', { body: form });
  const { Key } = (await put.json()) as { readonly Key: string };
  for (const command of ['refs', 'ls', 'cat', 'get', 'dag/get', 'dag/stat', 'object/links', 'pin/add', 'files/stat']) {
    const path = command === 'files/stat' ? `/ipfs/${Key}` : Key;
    const answer = await service.post(`${command}?arg=${path}`);
    expect([command, await answer.text()]).toEqual([command, expect.not.stringMatching(/internal error/)]);
  }
  const line = JSON.parse((await (await service.post(`refs?arg=${Key}`)).text()).trim());
  expect(line).toEqual({ Ref: '', Err: expect.stringMatching(/does not decode in its codec/) });
});

test('the memory of a process that decodes wide nodes is bounded', () => {
  expect(service.memoryPeakMib).toBeLessThan(memoryMibMax);
});
