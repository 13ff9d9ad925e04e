import type { Hex } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import { parseLastSeen } from './resume-point.ts';
import { RoundRobin } from './round-robin.ts';
import { addresses, eventually, hashOf, type SeenEvent, TestChain, TestClient } from './test-chain.fixture.ts';
import { isBlockTopic, parseTopic, type Topic } from './topic.ts';

const topic = (kind: string, value?: unknown): Topic => parseTopic(kind, { value });
const numberOf = ({ number }: { readonly number: Hex }) => Number(number);

async function subscribe({ subscriptions }: TestClient, kind: string, value?: unknown): Promise<string> {
  const id = await subscriptions.add(topic(kind, value));
  subscriptions.start([id]);
  return id;
}

test('subscriptions deliver each new block, and logs with those that a reorg removes', async () => {
  const chain = new TestChain();
  const client = new TestClient(chain);
  const heads = await subscribe(client, 'newHeads');
  const logs = await subscribe(client, 'logs', { address: addresses[0] });
  chain.moveTo('aa');
  await eventually(() => client.of(heads).length === 2);
  chain.moveTo('b');
  await eventually(() => client.of(heads).length === 3);
  await eventually(() => client.of(logs).length === 8);
  expect(client.of<{ number: Hex }>(heads).map(numberOf)).toEqual([1, 2, 1]);
  expect(client.of<SeenEvent>(logs).map(({ blockHash, logIndex, removed }) => [blockHash, logIndex, removed])).toEqual([
    [hashOf('a'), '0x0', false],
    [hashOf('aa'), '0x0', false],
    [hashOf('aa'), '0x2', false],
    [hashOf('aa'), '0x2', true],
    [hashOf('aa'), '0x0', true],
    [hashOf('a'), '0x0', true],
    [hashOf('b'), '0x0', false],
    [hashOf('b'), '0x2', false],
  ]);
});

test('a subscription is silent until its client has the id, and loses no event before', async () => {
  const chain = new TestChain();
  const client = new TestClient(chain);
  const earlier = await subscribe(client, 'newHeads');
  const id = await client.subscriptions.add(topic('newHeads'));
  chain.moveTo('ab');
  await eventually(() => client.of(earlier).length === 2);
  expect(client.of(id)).toEqual([]);
  client.subscriptions.start([id]);
  await eventually(() => client.of(id).length === 2);
});

test('a slow read delays only its connection', async () => {
  const [slow, fast] = [new TestChain({ isRemote: true }), new TestChain({ isRemote: true })];
  const scheduler = new RoundRobin();
  const [first, second] = [new TestClient(slow, { scheduler }), new TestClient(fast, { scheduler })];
  let release = () => {};
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  const [slowHeads, fastHeads] = [await subscribe(first, 'newHeads'), await subscribe(second, 'newHeads')];
  slow.onFetch = () => released;
  slow.moveTo('aaa');
  fast.moveTo('aaa');
  await eventually(() => second.of(fastHeads).length === 3);
  expect(first.of(slowHeads)).toEqual([]);
  release();
  await eventually(() => first.of(slowHeads).length === 3);
});

test('failed reads are repeated without loss or repetition, and reported when they continue to fail', async () => {
  const chain = new TestChain({ isRemote: true });
  const client = new TestClient(chain);
  const id = await subscribe(client, 'logs', {});
  let fetches = 0;
  chain.onFetch = () => {
    if (++fetches % 25 === 0) throw new Error('planted');
  };
  chain.moveTo('abcabcabc');
  await eventually(() => client.of(id).length === chain.logs().length);
  expect(client.failures).toEqual([]);
  expect(client.of<SeenEvent>(id).map(({ blockHash, logIndex }) => `${blockHash} ${Number(logIndex)}`)).toEqual(
    chain.logs(),
  );
  chain.onFetch = () => {
    throw new Error('planted');
  };
  chain.moveTo('abcabcabcabc');
  await eventually(() => client.failures.length === 1);
  expect(client.failures).toEqual([new Error('planted')]);
  client.subscriptions.close();
  expect(chain.listeners).toBe(0);
});

test('a client that does not read is reported after 256 changes of the head', async () => {
  const chain = new TestChain();
  const client = new TestClient(chain);
  client.onSend = () => new Promise(() => {});
  await subscribe(client, 'newHeads');
  for (let count = 1; count <= 257; count++) {
    expect(client.isLagging).toBe(false);
    chain.moveTo('a'.repeat(count));
    if (count === 1) await eventually(() => client.events.size === 1);
  }
  chain.moveTo('b');
  expect(client.isLagging).toBe(true);
});

test('add refuses more than 100 subscriptions of a connection', async () => {
  const client = new TestClient(new TestChain());
  for (let count = 0; count < 100; count++) await client.subscriptions.add(topic('newHeads'));
  await expect(client.subscriptions.add(topic('logs', {}))).rejects.toMatchObject({ rpcCode: -32005 });
});

test('a reorg of 100 blocks is delivered completely', async () => {
  const chain = new TestChain();
  const client = new TestClient(chain);
  const [heads, logs] = [await subscribe(client, 'newHeads'), await subscribe(client, 'logs', {})];
  chain.moveTo('a'.repeat(100));
  const added = chain.logs().length;
  await eventually(() => client.of(heads).length === 100 && client.of(logs).length === added);
  chain.moveTo('b'.repeat(101));
  await eventually(() => client.of(heads).length === 201);
  await eventually(() => client.of(logs).length === 2 * added + chain.logs().length);
  expect(client.of<SeenEvent>(logs).filter(({ removed }) => removed)).toHaveLength(added);
});

test.each([
  ['an unknown block', { number: '0x1', hash: hashOf('c') }, -32000, /^unknown block\. /],
  ['a number of another block', { number: '0x2', hash: hashOf('a') }, -32602, /has the number 1, not 2/],
  [
    'a block too far below the head',
    { number: '0x0', hash: hashOf('') },
    -32005,
    /can resume with block 2 or a later one, not with block 1/,
  ],
])('resume refuses %s', async (_, last, rpcCode, message) => {
  const chain = new TestChain();
  chain.moveTo('a');
  const client = new TestClient(chain);
  const heads = topic('newHeads');
  if (!isBlockTopic(heads)) throw new Error('newHeads is a topic of blocks.');
  if (rpcCode === -32005) chain.pretendHead(10_001n);
  await expect(client.subscriptions.resume('0x11', heads, parseLastSeen('last', last))).rejects.toMatchObject({
    rpcCode,
    message: expect.stringMatching(message),
    ...(rpcCode === -32005 && { data: { blocksMax: 10_000, firstBlock: '0x2' } }),
  });
});
