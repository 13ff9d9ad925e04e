import { expect, test } from '@jest/globals';
import { describeWithS3 } from '../../../../tools/engines/jest.mjs';
import { objectStoreLimits } from '../limits.ts';
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

  test('abortUploadsBefore removes the parts of unfinished uploads that are old enough', async () => {
    const store = await open();
    let release = () => {};
    const isReleased = new Promise<void>((resolve) => {
      release = resolve;
    });
    let hasBegun = () => {};
    const isUploading = new Promise<void>((resolve) => {
      hasBegun = resolve;
    });
    async function* source() {
      yield Buffer.alloc(objectStoreLimits.partBytes);
      hasBegun();
      await isReleased;
      yield Buffer.alloc(1);
    }
    const written = store.putStream('unfinished', source());
    await isUploading;
    expect(await store.abortUploadsBefore(new Date(Date.now() - 60_000))).toBe(0);
    expect(await store.abortUploadsBefore(new Date(Date.now() + 60_000))).toBe(1);
    release();
    await expect(written).rejects.toMatchObject({ code: expect.stringMatching(/^OBJECT_/) });
    expect(await store.stat('unfinished')).toBeUndefined();
    await store.close();
  });
});
