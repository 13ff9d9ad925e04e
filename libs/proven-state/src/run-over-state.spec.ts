import type { StateReader } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
import { createUpstreamPool, type UpstreamEvent, type UpstreamPool } from '@cairn/upstream';
import { afterEach, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { LearnedReads, MemoryContentCache, runOverState, type StateBlock } from './index.ts';
import { provenStateLimits } from './limits.ts';
import { address, bytes, hex, startStateNode, TestState, word } from './state-node.fixture.ts';

const mapping = (key: bigint | number, base: number) => keccak256(Buffer.concat([word(key), word(base)]));
const token = hex(address(0xaa));
const other = hex(address(0xbb));
const code = bytes('6001');
const stateOf = (balance = 77) =>
  new TestState({
    [token]: {
      nonce: 1,
      code,
      slots: { [hex(word(0))]: 3, [hex(word(1))]: 9, [hex(mapping(0x11, 2))]: balance, [hex(mapping(0x12, 2))]: 88 },
    },
    [other]: { nonce: 4, slots: { [hex(word(3))]: 5 } },
    ...Object.fromEntries(Array.from({ length: 300 }, (_, i) => [hex(address(i + 1000)), { nonce: i }])),
  });

type Node = Awaited<ReturnType<typeof startStateNode>>;
const nodes: Node[] = [];
const pools: UpstreamPool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

async function setUp(
  state = stateOf(),
  lies: (undefined | ((method: string, result: unknown) => unknown))[] = [undefined],
) {
  const started = await Promise.all(lies.map((lie) => startStateNode(state, lie)));
  nodes.push(...started);
  const events: UpstreamEvent[] = [];
  const pool = createUpstreamPool({
    chainId: 1n,
    upstreams: started.map(({ url }) => url),
    onEvent: (event) => events.push(event),
  });
  pools.push(pool);
  const cache = new MemoryContentCache({ bytesMax: 1024 * 1024 });
  const block: StateBlock = { hash: `0x${'ab'.repeat(32)}`, number: 100n, stateRoot: state.stateRoot };
  return { block, pool, cache, events, node: started[0] as Node };
}

/** Reads as a getter does: code, a constant slot, and the slot that it names. */
const getter = (state: StateReader) => {
  const account = state.getAccount(bytes(token));
  if (account === undefined) return 'absent';
  const program = state.getCode(account.codeHash);
  const first = state.getStorage(bytes(token), word(0));
  const value = state.getStorage(bytes(token), mapping(0x11, 2));
  return [hex(program), hex(first), hex(value)].join();
};

describe('runOverState', () => {
  test('a getter needs two rounds on a cold cache and none on a warm one', async () => {
    const { block, pool, cache, node } = await setUp();
    const cold = await runOverState(block, getter, { pool, cache });
    expect(cold).toMatchObject({ value: '0x6001,0x03,0x4d', rounds: 2 });
    expect(await runOverState(block, getter, { pool, cache })).toMatchObject({ value: cold.value, rounds: 0 });
    expect(node.rounds).toHaveLength(2);
    expect(node.rounds[0]?.map(({ method }) => method).sort()).toEqual(['eth_getCode', 'eth_getProof']);
  });

  test('the reads of a run as hint make one round', async () => {
    const first = await setUp();
    const { reads } = await runOverState(first.block, getter, first);
    const { block, pool, cache } = await setUp();
    expect(await runOverState(block, getter, { pool, cache, hint: reads })).toMatchObject({ rounds: 1 });
  });

  test('the next block without changes to the account needs one round', async () => {
    const { pool, cache, block } = await setUp();
    await runOverState(block, getter, { pool, cache });
    const changed = new TestState({
      [token]: {
        nonce: 1,
        code,
        slots: { [hex(word(0))]: 3, [hex(word(1))]: 9, [hex(mapping(0x11, 2))]: 77, [hex(mapping(0x12, 2))]: 88 },
      },
      [other]: { nonce: 5 },
    });
    const next = await setUp(changed);
    expect(await runOverState(next.block, getter, { pool: next.pool, cache })).toMatchObject({
      value: '0x6001,0x03,0x4d',
      rounds: 1,
    });
    expect(next.node.rounds[0]?.map(({ params }) => params[1])).toContainEqual([]);
  });

  test('absent accounts and zero slots are proven', async () => {
    const { block, pool, cache } = await setUp();
    const { value } = await runOverState(
      block,
      (state) => [
        state.getAccount(address(0xdead)),
        hex(state.getStorage(bytes(token), word(99))),
        hex(state.getStorage(address(0xdead), word(1))),
      ],
      { pool, cache },
    );
    expect(value).toEqual([undefined, '0x', '0x']);
  });

  test('an error of a run with missing reads is discarded, an error of the valid run is thrown', async () => {
    const { block, pool, cache } = await setUp();
    const work = (state: StateReader) => {
      if (state.getAccount(bytes(other))?.nonce !== 4n) throw new Error('wrong nonce');
      throw new Error('reverted');
    };
    await expect(runOverState(block, work, { pool, cache })).rejects.toThrow('reverted');
  });

  test('a run that needs one read after the other ends at the limit of rounds', async () => {
    const { block, pool, cache } = await setUp();
    let next = 0;
    const endless = (state: StateReader) => {
      for (let i = 0; i <= next; i++) state.getAccount(address(i + 1000));
      next += 1;
    };
    await expect(runOverState(block, endless, { pool, cache })).rejects.toMatchObject({
      code: 'STATE_ROUNDS_EXCEEDED',
    });
  });

  test('a run with thousands of missing accounts has few requests in flight, and fails with the first part', async () => {
    const { block, pool, cache, node } = await setUp(stateOf(), [
      (method) => (method === 'eth_getProof' ? 1 : undefined),
    ]);
    const addresses = Array.from({ length: 3000 }, (_, index) => address(index + 10_000));
    const work = (state: StateReader) => addresses.map((each) => state.getAccount(each)).length;
    await expect(runOverState(block, work, { pool, cache })).rejects.toMatchObject({ code: 'UPSTREAMS_UNAVAILABLE' });
    expect(node.rounds.flat().length).toBeLessThanOrEqual(provenStateLimits.concurrentMax);
  });

  test('concurrent runs share their requests', async () => {
    const { block, pool, cache, node } = await setUp();
    const runs = await Promise.all(Array.from({ length: 100 }, () => runOverState(block, getter, { pool, cache })));
    expect(new Set(runs.map(({ value }) => value))).toEqual(new Set(['0x6001,0x03,0x4d']));
    expect(node.rounds.flat()).toHaveLength(3);
  });
});

describe('lies', () => {
  const edit =
    (change: (proof: { accountProof: string[]; storageProof: { proof: string[] }[] }) => void) =>
    (method: string, result: unknown) => {
      if (method === 'eth_getProof') change(result as never);
      return result;
    };
  const flip = (text: string) => text.slice(0, -1) + (text.endsWith('0') ? '1' : '0');
  const lies: [string, (method: string, result: unknown) => unknown][] = [
    ['a changed account node', edit((proof) => proof.accountProof.push(flip(proof.accountProof.pop() ?? '')))],
    ['a missing account node', edit((proof) => proof.accountProof.pop())],
    ['an empty account proof', edit((proof) => proof.accountProof.splice(0))],
    ['a superfluous node', edit((proof) => proof.accountProof.push('0x80'))],
    ['a node that is no hex', edit((proof) => proof.accountProof.push('x'))],
    ['a deep proof', edit((proof) => proof.accountProof.push(...Array(100_000).fill('0x80')))],
    ['an oversized node', edit((proof) => proof.accountProof.splice(0, 1, `0x${'00'.repeat(70_000)}`))],
    ['omitted slots', edit((proof) => proof.storageProof.pop())],
    ['a changed slot node', edit(({ storageProof }) => storageProof[0]?.proof.push('0xc0'))],
    ['an empty slot proof', edit(({ storageProof }) => storageProof[0]?.proof.splice(0))],
    [
      'the state of another block',
      (method, result) => (method === 'eth_getProof' ? stateOf(1).answer(method, [token, [hex(word(0))]]) : result),
    ],
    [
      'an absent account',
      (method, result) => (method === 'eth_getProof' ? stateOf().answer(method, [hex(address(0xdead)), []]) : result),
    ],
    ['a list', (method, result) => (method === 'eth_getProof' ? [] : result)],
    ['changed code', (method, result) => (method === 'eth_getCode' ? '0x6002' : result)],
    ['no code', (method, result) => (method === 'eth_getCode' ? '0x' : result)],
    ['code that is no hex', (method, result) => (method === 'eth_getCode' ? 5 : result)],
  ];

  test.each(lies)('%s reaches no result, and the next upstream answers', async (_, lie) => {
    const { block, pool, cache, events } = await setUp(stateOf(), [lie, undefined]);
    const hint = [{ address: bytes(token), slots: [word(0), mapping(0x11, 2)], needsCode: true }];
    expect((await runOverState(block, getter, { pool, cache, hint })).value).toBe('0x6001,0x03,0x4d');
    expect(events.filter(({ type }) => type === 'isolated').length).toBeGreaterThan(0);
  });

  test('without an honest upstream the run fails', async () => {
    const [, lie] = lies[0] as (typeof lies)[0];
    const { block, pool, cache } = await setUp(stateOf(), [lie]);
    await expect(runOverState(block, getter, { pool, cache })).rejects.toMatchObject({ code: 'UPSTREAMS_UNAVAILABLE' });
  });
});

describe('LearnedReads', () => {
  const call = (holder: number, from = 0x99) => ({
    codeHash: keccak256(code),
    to: bytes(token),
    from: address(from),
    input: Buffer.concat([bytes('70a08231'), word(holder)]),
  });

  test('predicts the slot of another argument and caller', () => {
    const learned = new LearnedReads();
    const nested = (outer: bigint | number, inner: bigint | number) =>
      keccak256(Buffer.concat([word(inner), mapping(outer, 4)]));
    const readsOf = (holder: number, from: number) => [
      {
        address: bytes(token),
        slots: [word(0), mapping(holder, 2), mapping(from, 3), nested(holder, from)],
        needsCode: true,
      },
      { address: bytes(other), slots: [word(3)], needsCode: false },
    ];
    expect(learned.predict(call(0x11))).toEqual([]);
    learned.learn(call(0x11, 0x99), readsOf(0x11, 0x99));
    const texts = (needs: ReturnType<LearnedReads['predict']>) =>
      needs.map((need) => [hex(need.address), need.slots.map(hex), need.needsCode]);
    expect(texts(learned.predict(call(0x12, 0x98)))).toEqual(texts(readsOf(0x12, 0x98)));
  });

  test('any slot is predicted for the call that it was learned from', () => {
    fc.assert(
      fc.property(
        fc.array(fc.uint8Array({ minLength: 32, maxLength: 32 }), { maxLength: 8 }),
        fc.uint8Array({ maxLength: 200 }),
        (slots, input) => {
          const learned = new LearnedReads();
          const one = { ...call(1), input };
          learned.learn(one, [{ address: bytes(token), slots, needsCode: true }]);
          const predicted = learned.predict(one)[0]?.slots.map(hex);
          expect(predicted).toEqual([...new Set(slots.map(hex))]);
        },
      ),
      { numRuns: 20 },
    );
  });

  test('a prediction makes the first call of another holder one round', async () => {
    const learned = new LearnedReads();
    const balanceOf = (holder: number) => (state: StateReader) => {
      const account = state.getAccount(bytes(token));
      return account && hex(state.getCode(account.codeHash)) + hex(state.getStorage(bytes(token), mapping(holder, 2)));
    };
    const first = await setUp();
    learned.learn(call(0x11), (await runOverState(first.block, balanceOf(0x11), first)).reads);
    const { block, pool, cache } = await setUp();
    const hint = learned.predict(call(0x12));
    expect(await runOverState(block, balanceOf(0x12), { pool, cache, hint })).toMatchObject({
      value: '0x60010x58',
      rounds: 1,
    });
  });
});
