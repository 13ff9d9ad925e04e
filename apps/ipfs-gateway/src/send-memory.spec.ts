import { expect, test } from '@jest/globals';
import { chunkBytesMax, SendMemory, stallMs } from './send-memory.ts';

const signal = new AbortController().signal;
const turn = () => new Promise((resolve) => setImmediate(resolve));

function client() {
  const state = { isDestroyed: false, destroy: () => Object.assign(state, { isDestroyed: true }) };
  return state;
}

test('a block that several responses hold counts once', () => {
  const memory = new SendMemory({ bytesMax: 1000 });
  const block = new Uint8Array(1000);
  expect([memory.tryHold(block), memory.tryHold(block.subarray(1, 2)), memory.bytes]).toEqual([true, true, 1000]);
  expect(memory.tryHold(new Uint8Array(1))).toBe(false);
  memory.release(block);
  expect(memory.bytes).toBe(1000);
  memory.release(block);
  expect(memory.bytes).toBe(0);
});

test('reserved room is granted in order, and shrinks to the bytes that were read', async () => {
  const memory = new SendMemory({ bytesMax: chunkBytesMax + 100 });
  await memory.reserve(signal);
  const order: number[] = [];
  const waits = [1, 2].map((number) => memory.reserve(signal).then(() => order.push(number)));
  await turn();
  expect([order, memory.waiting]).toEqual([[], 2]);
  const small = new Uint8Array(100);
  memory.fill(small);
  await turn();
  expect([order, memory.bytes]).toEqual([[1], chunkBytesMax + 100]);
  memory.fill(undefined);
  await Promise.all(waits);
  memory.fill(undefined);
  memory.release(small);
  expect([order, memory.bytes, memory.waiting]).toEqual([[1, 2], 0, 0]);
});

test('clients that take nothing are disconnected only while responses wait, one for each, the oldest first', async () => {
  let now = 0;
  const memory = new SendMemory({ bytesMax: chunkBytesMax, now: () => now });
  const clients = [client(), client(), client()];
  const ends = clients.map((one) => memory.block(one));
  const gone = () => clients.map(({ isDestroyed }) => isDestroyed);
  now = 2 * stallMs;
  memory.checkStalls();
  expect(gone()).toEqual([false, false, false]);
  ends[0]?.();
  await memory.reserve(signal);
  const stopped = new AbortController();
  const waits = memory.reserve(stopped.signal);
  expect(gone()).toEqual([false, true, false]);
  stopped.abort(new Error('stopped'));
  await expect(waits).rejects.toThrow('stopped');
  expect(memory.waiting).toBe(0);
});
