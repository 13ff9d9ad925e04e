import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { type Blockstore, BufferPool, type Collectable, createMemoryBlockstore } from '@cairn/blockstore';
import { cidFor } from '@cairn/cid';
import { expect, test } from '@jest/globals';
import { withSharedReads } from './with-shared-reads.ts';

async function setup({ isSharing = true } = {}) {
  const memory = createMemoryBlockstore();
  const bytes = Uint8Array.of(1, 2, 3);
  const cid = cidFor(bytes, { codec: 'raw' });
  await memory.putMany([{ cid, bytes }]);
  let reads = 0;
  const removed: ((cids: readonly (typeof cid)[]) => void)[] = [];
  const get: Blockstore['get'] = async (...args) => {
    reads++;
    await new Promise((resolve) => setImmediate(resolve));
    args[1]?.signal?.throwIfAborted();
    return Uint8Array.from(await memory.get(...args));
  };
  const store: Blockstore = Object.assign(Object.create(memory), { get });
  const removals = { onRemoved: (call: (typeof removed)[0]) => removed.push(call) } as unknown as Collectable;
  return {
    cid,
    reads: () => reads,
    remove: () => removed.map((call) => call([cid])),
    store: withSharedReads(store, { removals, isSharing: () => isSharing }),
  };
}

test('concurrent and later readers share the bytes of a block', async () => {
  const { cid, store, reads } = await setup();
  const [first, second] = await Promise.all([store.get(cid), store.get(cid)]);
  const third = await store.get(cid);
  expect([second.buffer === first.buffer, third.buffer === first.buffer, reads()]).toEqual([true, true, 1]);
  expect([...third]).toEqual([1, 2, 3]);
});

test('a reader that holds a part of the bytes shares them after a collection of garbage', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const { cid, store, reads } = await setup();
  const part = (await store.get(cid)).subarray(1);
  // A weak reference keeps its target until the end of the turn.
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  const whole = await store.get(cid);
  expect([whole.buffer === part.buffer, [...whole], reads()]).toEqual([true, [1, 2, 3], 1]);
});

test('a removed block is read again', async () => {
  const { cid, store, reads, remove } = await setup();
  const first = await store.get(cid);
  remove();
  expect([(await store.get(cid)).buffer === first.buffer, reads()]).toEqual([false, 2]);
});

test('a reader that goes away does not end the read of another', async () => {
  const { cid, store } = await setup();
  const stopped = new AbortController();
  const first = store.get(cid, { signal: stopped.signal });
  const second = store.get(cid);
  stopped.abort(new Error('stopped'));
  await expect(first).rejects.toThrow('stopped');
  expect([...(await second)]).toEqual([1, 2, 3]);
});

test('a reader with buffers of its own shares them with no other reader', async () => {
  const { cid, store, reads } = await setup({ isSharing: false });
  const buffers = new BufferPool({ bytesMax: 1024 });
  const [first, second, third] = await Promise.all([
    store.get(cid, { buffers }),
    store.get(cid, { buffers }),
    store.get(cid),
  ]);
  expect([first === second, first === third, second === third, reads()]).toEqual([false, false, false, 3]);
});

test('while bytes are shared, no reader gets a buffer that is used again', async () => {
  const memory = createMemoryBlockstore();
  const bytes = Uint8Array.of(1, 2, 3);
  const cid = cidFor(bytes, { codec: 'raw' });
  await memory.putMany([{ cid, bytes }]);
  const given: unknown[] = [];
  const get: Blockstore['get'] = async (...args) => {
    given.push(args[1]?.buffers);
    return await memory.get(...args);
  };
  const store: Blockstore = Object.assign(Object.create(memory), { get });
  const shared = withSharedReads(store, { removals: { onRemoved: () => {} }, isSharing: () => true });
  await shared.get(cid, { buffers: new BufferPool({ bytesMax: 1024 }) });
  expect(given).toEqual([undefined]);
});
