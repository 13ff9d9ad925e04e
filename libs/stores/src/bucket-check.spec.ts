import { ObjectStoreError } from '@cairn/object-store';
import { createMemoryObjectStore } from '@cairn/object-store/testing';
import { expect, test } from '@jest/globals';
import { createBucketCheck } from './bucket-check.ts';

/** Bucket whose requests are counted. They fail while `isAway` is set; with `isProxy`, each object exists. */
function setUp() {
  const objects = createMemoryObjectStore();
  const state = { isAway: false, isProxy: false, stats: 0, failures: 3 };
  const check = createBucketCheck({
    traffic: () => ({ ...objects.traffic(), get: { ...objects.traffic().get, failures: state.failures } }),
    async stat(key) {
      state.stats++;
      if (state.isProxy) return { key, bytes: 0, modifiedAt: new Date() };
      if (!state.isAway) return objects.stat(key);
      state.failures++;
      throw new ObjectStoreError('OBJECT_STORE_UNAVAILABLE', 'The object store does not answer.');
    },
  });
  return { state, check };
}

test('a bucket is asked only after a failed request, and no more when it answers', async () => {
  const { state, check } = setUp();
  await check();
  expect(state.stats).toBe(0);
  state.failures++;
  await check();
  expect(state.stats).toBe(1);
  await check();
  expect(state.stats).toBe(1);
});

test('a bucket that is away is reported until it answers', async () => {
  const { state, check } = setUp();
  state.isAway = true;
  state.failures++;
  for (let checks = 0; checks < 2; checks++)
    await expect(check()).rejects.toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE' });
  state.isAway = false;
  await check();
  await check();
  expect(state.stats).toBe(3);
});

test('a proxy that answers in place of the bucket is reported', async () => {
  const { state, check } = setUp();
  state.isProxy = true;
  state.failures++;
  await expect(check()).rejects.toThrow('Another server answers');
  state.isProxy = false;
  await check();
});
