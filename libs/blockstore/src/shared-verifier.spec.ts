import { type BlockVerifier, cidFor, verifyBytesInBackground } from '@cairn/cid';
import { expect, jest, test } from '@jest/globals';
import { createSharedVerifier, type VerifierGroup } from './index.ts';

const groupKey = Uint8Array.from({ length: 32 }, (_, index) => index);
const blocks = Array.from({ length: 5 }, (_, seed) => {
  const bytes = Buffer.alloc(40_000, `${seed} block `);
  return { bytes, cid: cidFor(bytes, { codec: 'raw' }) };
});

/** Processes whose messages arrive after a copy, as between processes, and the messages that each has sent. */
function setUp(count: number, key: () => Promise<unknown> = async () => groupKey) {
  const members: { readonly listeners: ((value: unknown) => unknown)[]; readonly sent: number[] }[] = [];
  const kept: unknown[] = [];
  const start = () => {
    const own = { listeners: [] as ((value: unknown) => unknown)[], sent: [] as number[] };
    members.push(own);
    const group: VerifierGroup = {
      count,
      publish(_, value, { keep }) {
        own.sent.push((value as Uint8Array).length);
        kept.push(value);
        kept.splice(0, kept.length - keep);
        for (const member of members)
          if (member !== own) for (const listener of member.listeners) listener(structuredClone(value));
      },
      subscribe(_, listener) {
        own.listeners.push(listener);
        for (const value of kept) listener(structuredClone(value));
      },
    };
    const hash = jest.fn<BlockVerifier>(verifyBytesInBackground);
    return { hash, verify: createSharedVerifier(group, { key, verify: hash }), sent: own.sent };
  };
  return { start, members };
}

/** Waits for a state that background work reaches. */
async function until(isReached: () => boolean): Promise<void> {
  while (!isReached()) await new Promise((resolve) => setTimeout(resolve, 5));
}

async function verifyAll({ verify }: { readonly verify: BlockVerifier }): Promise<void> {
  for (const { cid, bytes } of blocks) await verify(cid, bytes);
}

test('a block that one process has hashed is recognized by the others, also by one that starts later', async () => {
  const { start, members } = setUp(2);
  const [first, second] = [start(), start()];
  await until(() => members.every(({ listeners }) => listeners.length === 1));
  await verifyAll(first);
  expect(first.hash).toHaveBeenCalledTimes(5);
  await until(() => first.sent.reduce((sum, length) => sum + length, 0) === 5 * 16);
  await verifyAll(second);
  expect(second.hash).not.toHaveBeenCalled();
  const third = start();
  await until(() => members.at(-1)?.listeners.length === 1);
  await verifyAll(third);
  expect(third.hash).not.toHaveBeenCalled();
});

test('a changed block, and the bytes of another one, are refused by every process', async () => {
  const { start, members } = setUp(2);
  const [first, second] = [start(), start()];
  await until(() => members.every(({ listeners }) => listeners.length === 1));
  await verifyAll(first);
  await until(() => first.sent.reduce((sum, length) => sum + length, 0) === 5 * 16);
  for (const { verify } of [first, second])
    for (const [index, { cid, bytes }] of blocks.entries()) {
      const changed = Uint8Array.from(bytes);
      changed[index * 9999] = (changed[index * 9999] ?? 0) ^ 1;
      const other = blocks[(index + 1) % blocks.length]?.bytes ?? changed;
      for (const wrong of [changed, other])
        await expect(verify(cid, wrong)).rejects.toMatchObject({ code: 'BLOCK_CORRUPT' });
    }
});

test.each([
  ['rejects', () => Promise.reject(new Error('no primary process'))],
  ['is too short', async () => new Uint8Array(16)],
  ['is no bytes', async () => 'text'],
])('every block is hashed if the key of the group %s', async (_, key) => {
  const { verify, hash, sent } = setUp(2, key).start();
  await new Promise((resolve) => setImmediate(resolve));
  for (let round = 0; round < 2; round++) await verifyAll({ verify });
  expect(hash).toHaveBeenCalledTimes(10);
  expect(sent).toEqual([]);
});

test('a single process asks for no key, and sends nothing', async () => {
  const key = jest.fn(async () => groupKey);
  const { verify, hash, sent } = setUp(1, key).start();
  for (let round = 0; round < 2; round++) await verifyAll({ verify });
  expect(hash).toHaveBeenCalledTimes(5);
  expect(key).not.toHaveBeenCalled();
  expect(sent).toEqual([]);
});
