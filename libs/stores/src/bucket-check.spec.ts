import { type ObjectStore, ObjectStoreError } from '@cairn/object-store';
import { createMemoryObjectStore } from '@cairn/object-store/testing';
import { expect, test } from '@jest/globals';
import { bucketCheckLimits, createBucketCheck } from './bucket-check.ts';

/** Bucket whose requests are counted. They fail while `isAway` is set; with `isProxy`, each object exists. */
function setUp() {
  const objects = createMemoryObjectStore();
  const state = { isAway: false, isProxy: false, isSilent: false, stats: 0, failures: 3, requests: 5, open: 0, now: 0 };
  const { get } = objects.traffic();
  const traffic = () => {
    const { failures, requests, open } = state;
    return { ...objects.traffic(), get: { ...get, failures, requests, open } };
  };
  const stat: ObjectStore['stat'] = async (key, { signal } = {}) => {
    state.stats++;
    if (state.isSilent)
      return await new Promise((_, reject) => signal?.addEventListener('abort', () => reject(signal.reason)));
    if (state.isProxy) return { key, bytes: 0, modifiedAt: new Date() };
    if (!state.isAway) return objects.stat(key);
    state.failures++;
    throw new ObjectStoreError('OBJECT_STORE_UNAVAILABLE', 'The object store does not answer.');
  };
  const check = createBucketCheck({ traffic, stat }, { now: () => state.now, probeMs: 20 });
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

test('a bucket that hangs is reported at the second check during an open request, until it answers', async () => {
  const { state, check } = setUp();
  Object.assign(state, { isSilent: true, requests: 6, open: 1 });
  await check();
  expect(state.stats).toBe(0);
  for (let checks = 0; checks < 2; checks++)
    await expect(check()).rejects.toThrow('The object store has not answered for 0.02 s.');
  // The request has ended, and the bucket still hangs.
  state.open = 0;
  await expect(check()).rejects.toThrow('has not answered');
  state.isSilent = false;
  await check();
  await check();
  expect(state.stats).toBe(4);
});

test('open requests of which some end cost no probe', async () => {
  const { state, check } = setUp();
  for (let checks = 0; checks < 5; checks++) {
    Object.assign(state, { requests: state.requests + 3, open: 2 + (checks % 2) });
    await check();
  }
  expect(state.stats).toBe(0);
});

test('an idle bucket is asked after a time', async () => {
  const { state, check } = setUp();
  state.now = bucketCheckLimits.idleMs - 1;
  await check();
  expect(state.stats).toBe(0);
  state.now++;
  await check();
  state.now += 1000;
  await check();
  expect(state.stats).toBe(1);
  state.isAway = true;
  state.now += bucketCheckLimits.idleMs;
  await expect(check()).rejects.toMatchObject({ code: 'OBJECT_STORE_UNAVAILABLE' });
});
