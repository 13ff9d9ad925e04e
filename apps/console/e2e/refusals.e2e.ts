import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { type Stage, setStage } from './console.ts';
import { Visitor } from './visitor.ts';

let stage: Stage;
beforeAll(async () => {
  stage = await setStage();
});
afterAll(() => stage.stop());

test('refusals of the storage API are answers to the request, not failures of a service', async () => {
  const visitor = new Visitor(stage.console.url);
  await visitor.signUp('refused', 'four words in a row');
  await stage.auth.attachCard('refused', { brand: 'visa', last4: '4242' });
  expect((await visitor.ask('POST', 'names', { name: 'web' })).status).toBe(201);
  const refused = (message: string) => ({ status: 400, body: { error: { code: 'STORAGE_REFUSED', message } } });
  expect(await visitor.ask('POST', 'names', { name: 'web' })).toMatchObject(
    refused("Key with name 'web' already exists."),
  );
  expect(await visitor.ask('DELETE', 'names/none')).toMatchObject(refused('No key named none was found.'));
  expect(await visitor.ask('DELETE', 'files/bafkqaaa')).toMatchObject(refused('Not pinned or pinned indirectly.'));
  for (const [method, path] of [
    ['GET', 'pin-requests/none'],
    ['DELETE', 'webhook'],
  ] as const)
    expect((await visitor.ask(method, path)).status).toBe(404);
});
