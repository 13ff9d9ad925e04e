import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from '@jest/globals';
import { beginBody } from './begin-body.ts';

const response = (body: AsyncIterable<Uint8Array>) => ({ status: 200, headers: {}, body });

test('the body has all bytes, and a failure of the first read comes before it', async () => {
  async function* bytes() {
    yield Uint8Array.of(1);
    yield Uint8Array.of(2);
  }
  const { body = [] } = await beginBody(response(bytes()));
  const read: number[] = [];
  for await (const chunk of body) read.push(...chunk);
  expect(read).toEqual([1, 2]);
  // biome-ignore lint/correctness/useYield: the first read fails.
  async function* missing(): AsyncGenerator<Uint8Array> {
    throw new Error('missing');
  }
  await expect(beginBody(response(missing()))).rejects.toThrow('missing');
});

test('an open body does not hold the bytes that it has given', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  async function* bytes() {
    yield new Uint8Array(1 << 20);
    await new Promise(() => {});
  }
  const begun = await beginBody(response(bytes()));
  const given = new WeakRef((await begun.body?.[Symbol.asyncIterator]().next())?.value.buffer ?? {});
  // A weak reference keeps its target until the end of the turn.
  for (let turn = 0; turn < 3; turn++) {
    await new Promise((resolve) => setImmediate(resolve));
    collect();
  }
  expect(given.deref()).toBeUndefined();
  expect(begun.body).toBeDefined();
});
