import { expect, test } from '@jest/globals';
import { describeWithS3 } from '../../../../tools/engines/jest.mjs';
import { describeObjectStore } from '../testing/describe-object-store.ts';
import { openS3ObjectStore } from './s3-object-store.ts';

describeWithS3('openS3ObjectStore over SeaweedFS', (server) => {
  const open = () => openS3ObjectStore({ url: server().createStore(), credentials: server() });

  describeObjectStore('openS3ObjectStore', open);

  test('the probe leaves no object', async () => {
    const store = await open();
    for await (const { key } of store.list('')) expect(key).toBeUndefined();
    expect(store.traffic().put.requests).toBeGreaterThan(16);
    await store.close();
  });

  test('a wrong secret is reported without the secret', async () => {
    const secretAccessKey = 'wrongsecret';
    const denied = openS3ObjectStore({ url: server().createStore(), credentials: { ...server(), secretAccessKey } });
    const error = await denied.catch((reason: unknown) => reason);
    expect(error).toMatchObject({ code: 'OBJECT_STORE_DENIED' });
    expect(JSON.stringify([error, String(error)])).not.toContain(secretAccessKey);
  });
});
