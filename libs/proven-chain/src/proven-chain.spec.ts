import type { Header, Hex, Json, Log } from '@cairn/block-model';
import { MemoryContentCache } from '@cairn/proven-state';
import { createUpstreamPool, type UpstreamEvent, type UpstreamPool } from '@cairn/upstream';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Lie, startChainNode, TestChain } from './chain-node.fixture.ts';
import { AncestorIndex, ProvenBlocks, ProvenChain, type ProvenReader, provenLogs } from './index.ts';

const token: Hex = `0x${'aa'.repeat(20)}`;
const other: Hex = `0x${'bb'.repeat(20)}`;
const topic = (n: number): Hex => `0x${n.toString(16).padStart(64, '0')}`;
const logOf = (address: Hex, ...topics: Hex[]): Log => ({ address, topics, data: '0x1234' });
const logs = {
  3: [logOf(token, topic(1))],
  40: [logOf(other, topic(1)), logOf(token, topic(1), topic(2))],
  90: [logOf(token)],
};
const chain = new TestChain({ length: 100, logs });

type Node = Awaited<ReturnType<typeof startChainNode>>;
const nodes: Node[] = [];
const pools: UpstreamPool[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

async function setUp(served = chain, lies: (Lie | undefined)[] = [undefined]) {
  const started = await Promise.all(lies.map((lie) => startChainNode(served, lie)));
  nodes.push(...started);
  const events: UpstreamEvent[] = [];
  const pool = createUpstreamPool({
    chainId: 1n,
    upstreams: started.map(({ url }) => url),
    onEvent: (event) => events.push(event),
  });
  pools.push(pool);
  const blocks = new ProvenBlocks({ pool, cache: new MemoryContentCache({ bytesMax: 64 * 1024 * 1024 }) });
  const isolated = () => events.filter(({ type }) => type === 'isolated').length;
  return { blocks, ancestors: new AncestorIndex(blocks), node: started[0] as Node, isolated };
}

describe('ProvenBlocks', () => {
  test('headers, blocks and receipts are read by hash, and headers are cached', async () => {
    const { blocks, node } = await setUp();
    const { hash } = chain.at(40);
    expect((await blocks.header(hash)).number).toBe(40n);
    expect((await blocks.block(hash)).transactions).toHaveLength(1);
    expect((await blocks.receipts(hash))[0]?.logs).toHaveLength(2);
    const rounds = node.rounds.length;
    await Promise.all([blocks.header(hash), blocks.block(hash), blocks.receipts(hash)]);
    expect(node.rounds).toHaveLength(rounds);
    expect(await blocks.receipts(chain.at(1).hash)).toEqual([]);
  });

  test('receipts are read one by one where a node lacks eth_getBlockReceipts', async () => {
    const single: Lie = (method, params, result) => {
      if (method === 'eth_getBlockReceipts') return new Error('the method eth_getBlockReceipts does not exist');
      const all = chain.answer('eth_getBlockReceipts', [chain.at(40).hash]) as Json[];
      return method === 'eth_getTransactionReceipt'
        ? all.find(({ transactionHash }) => transactionHash === params[0])
        : result;
    };
    const { blocks } = await setUp(chain, [single]);
    expect((await blocks.receipts(chain.at(40).hash))[0]?.logs).toHaveLength(2);
  });

  test('a false receipt among single ones leads to another upstream', async () => {
    const single =
      (change: object): Lie =>
      (method, params, result) => {
        if (method === 'eth_getBlockReceipts') return new Error('the method eth_getBlockReceipts does not exist');
        const all = chain.answer('eth_getBlockReceipts', [chain.at(40).hash]) as Json[];
        if (method !== 'eth_getTransactionReceipt') return result;
        return { ...all.find(({ transactionHash }) => transactionHash === params[0]), ...change };
      };
    const { blocks } = await setUp(chain, [single({ logs: [] }), single({})]);
    expect((await blocks.receipts(chain.at(40).hash))[0]?.logs).toHaveLength(2);
    const { blocks: lying } = await setUp(chain, [single({ logs: [] }), single({ status: '0x0' })]);
    await expect(lying.receipts(chain.at(40).hash)).rejects.toMatchObject({ code: 'RECEIPTS_UNPROVEN' });
  });

  const edit =
    (names: readonly string[], change: (value: Record<string, unknown>) => unknown): Lie =>
    (method, _params, result) =>
      names.includes(method) && result !== null ? change(structuredClone(result) as Record<string, unknown>) : result;
  const byHash = ['eth_getBlockByHash'];
  const list = ['eth_getBlockReceipts'];
  const first = (value: unknown) => (value as Record<string, unknown>[])[0] as Record<string, unknown>;
  const lies: [string, Lie][] = [
    ['another header', edit(byHash, (json) => ({ ...json, timestamp: '0x1' }))],
    ['another state root', edit(byHash, (json) => ({ ...json, stateRoot: topic(9) }))],
    ['a header without fields', edit(byHash, () => ({}))],
    ['a text', edit(byHash, () => 'block')],
    ['a list', edit(byHash, () => [])],
    ['no transactions', edit(byHash, (json) => ({ ...json, transactions: [] }))],
    [
      'a repeated transaction',
      edit(byHash, (json) => ({ ...json, transactions: [first(json.transactions), first(json.transactions)] })),
    ],
    [
      'a changed transaction',
      edit(byHash, (json) => ({ ...json, transactions: [{ ...first(json.transactions), value: '0x5' }] })),
    ],
    [
      'a withdrawal',
      edit(byHash, (json) => ({
        ...json,
        withdrawals: [{ index: '0x0', validatorIndex: '0x0', address: token, amount: '0x1' }],
      })),
    ],
    ['no receipts', edit(list, () => [])],
    ['an omitted log', edit(list, (all) => [{ ...first(all), logs: (first(all).logs as unknown[]).slice(1) }])],
    [
      'a changed log',
      edit(list, (all) => [
        { ...first(all), logs: (first(all).logs as object[]).map((log) => ({ ...log, data: '0x' })) },
      ]),
    ],
    ['reordered logs', edit(list, (all) => [{ ...first(all), logs: (first(all).logs as object[]).toReversed() }])],
    ['a changed status', edit(list, (all) => [{ ...first(all), status: '0x0' }])],
    ['changed gas', edit(list, (all) => [{ ...first(all), cumulativeGasUsed: '0x1' }])],
    ['an empty bloom', edit(list, (all) => [{ ...first(all), logsBloom: `0x${'00'.repeat(256)}` }])],
    ['receipts of another type', edit(list, (all) => [{ ...first(all), type: '0x2' }])],
    ['receipts of an unknown type', edit(list, (all) => [{ ...first(all), type: '0x7f' }])],
    [
      'receipts of another block',
      (method, _, result) => (method === 'eth_getBlockReceipts' ? chain.answer(method, [chain.at(3).hash]) : result),
    ],
    ['receipts that are no list', edit(list, () => ({}))],
    ['null in a list', edit(list, () => [null])],
  ];

  const readAll = async (blocks: ProvenBlocks) => {
    const { hash } = chain.at(40);
    const { header, transactions } = await blocks.block(hash);
    const receipts = await blocks.receipts(hash);
    return [header.hash === hash, transactions.length, receipts[0]?.logs.length];
  };

  test.each(lies)('%s isolates the upstream and reaches no result', async (_, lie) => {
    const alone = await setUp(chain, [lie]);
    await expect(readAll(alone.blocks)).rejects.toMatchObject({ code: 'UPSTREAMS_UNAVAILABLE' });
    expect(alone.isolated()).toBe(1);
    const { blocks } = await setUp(chain, [lie, undefined]);
    expect(await readAll(blocks)).toEqual([true, 1, 2]);
  });
});

describe('AncestorIndex', () => {
  test('parent links prove near ancestors in one round, and are remembered', async () => {
    const { ancestors, node } = await setUp();
    expect(await ancestors.hashAt(chain.head, 50n)).toBe(chain.at(50).hash);
    const rounds = node.rounds.length;
    expect(await ancestors.hashAt(chain.head, 70n)).toBe(chain.at(70).hash);
    expect(node.rounds).toHaveLength(rounds);
    await expect(ancestors.hashAt(chain.head, 100n)).rejects.toMatchObject({ code: 'BLOCK_RANGE_INVALID' });
  });

  test('a header of another branch is replaced by the one that links', async () => {
    const fork = new TestChain({ length: 100, base: chain, forkAt: 60, seed: 9 });
    const lie: Lie = (method, params, result) =>
      method === 'eth_getBlockByNumber' && params[0] === '0x3c' ? fork.answer(method, params) : result;
    const { ancestors } = await setUp(chain, [lie]);
    expect(await ancestors.hashAt(chain.head, 55n)).toBe(chain.at(55).hash);
    expect(await ancestors.hashAt(chain.head, 60n)).toBe(chain.at(60).hash);
  });

  test.each([1, 30])('a reorg of %i blocks cuts the index', async (depth) => {
    const fork = new TestChain({ length: 102, base: chain, forkAt: 100 - depth, seed: 5 });
    const { ancestors, node } = await setUp();
    await ancestors.link(chain.head, 20n);
    node.chain = fork;
    expect(await ancestors.hashAt(fork.head, 99n)).toBe(fork.at(99).hash);
    expect(await ancestors.hashAt(fork.head, 30n)).toBe(chain.at(30).hash);
    expect(ancestors.length).toBe(82);
  });

  test('far ancestors are proven by the history contract in two rounds', async () => {
    const long = new TestChain({ length: 1000, withHistory: true });
    const { ancestors, node } = await setUp(long);
    expect(await ancestors.hashAt(long.head, 100n)).toBe(long.at(100).hash);
    expect(node.rounds.flat().filter((method) => method !== 'eth_getProof')).toEqual([]);
    expect(node.rounds.length).toBeLessThanOrEqual(2);
  });

  test('without the history contract, links prove an ancestor below their usual depth', async () => {
    const long = new TestChain({ length: 600 });
    const { ancestors } = await setUp(long);
    expect(await ancestors.hashAt(withoutHistory(long.head), 1n)).toBe(long.at(1).hash);
  });

  test('an ancestor beyond proofs and links is refused, or rests on agreement and says so', async () => {
    const { blocks, ancestors } = await setUp(chain, [undefined, undefined]);
    const far: Header = { ...withoutHistory(chain.head), number: 50_000n };
    await expect(ancestors.hashAt(far, 1n)).rejects.toMatchObject({ code: 'ANCESTOR_UNPROVEN' });
    const attested = new AncestorIndex(blocks, { attestation: { quorum: 2 } });
    let agreements = 0;
    const onQuorum = () => {
      agreements++;
    };
    expect(await attested.hashAt(far, 1n, { onQuorum })).toBe(chain.at(1).hash);
    expect(agreements).toBe(1);
  });

  test('upstreams that disagree prove no ancestor', async () => {
    const forge: Lie = (method, params, result) =>
      method === 'eth_getBlockByNumber' ? chain.answer(method, ['0x2', params[1]]) : result;
    const { blocks } = await setUp(chain, [undefined, forge]);
    const attested = new AncestorIndex(blocks, { attestation: { quorum: 2 } });
    const far: Header = { ...withoutHistory(chain.head), number: 50_000n };
    await expect(attested.hashAt(far, 1n)).rejects.toMatchObject({ code: 'UPSTREAMS_DISAGREE' });
  });

  test('concurrent links from several heads leave one chain', async () => {
    const fork = new TestChain({ length: 100, base: chain, forkAt: 60, seed: 9 });
    const { ancestors } = await setUp();
    const heads = [chain.head, chain.at(90), chain.at(40), chain.head];
    const found = await Promise.all(
      heads.flatMap((head) => [5n, 20n, 39n].map((number) => ancestors.hashAt(head, number))),
    );
    expect(found).toEqual(heads.flatMap(() => [5, 20, 39].map((number) => chain.at(number).hash)));
    expect(await ancestors.range(chain.head, 0n, 99n)).toEqual(chain.blocks.map(({ block }) => block.header.hash));
    expect(fork.at(99).hash).not.toBe(chain.at(99).hash);
  });
});

function withoutHistory(header: Header): Header {
  const { requestsHash: _, ...rest } = header;
  return rest;
}

describe('provenLogs', () => {
  const query = async (parts: object, lies?: (Lie | undefined)[]) => {
    const { blocks, ancestors, node } = await setUp(chain, lies);
    const found = await provenLogs({ blocks, ancestors }, chain.head, { from: 0n, to: 99n, ...parts });
    return { places: found.map(({ header, logIndex }) => [Number(header.number), logIndex]), node };
  };

  test.each([
    [
      {},
      [
        [3, 0],
        [40, 0],
        [40, 1],
        [90, 0],
      ],
    ],
    [
      { addresses: [token] },
      [
        [3, 0],
        [40, 1],
        [90, 0],
      ],
    ],
    [
      { addresses: [other, token], topics: [[topic(1)]] },
      [
        [3, 0],
        [40, 0],
        [40, 1],
      ],
    ],
    [{ topics: [null, [topic(2), topic(3)]] }, [[40, 1]]],
    [{ topics: [[topic(7)]] }, []],
    [{ from: 4n, to: 89n, addresses: [token] }, [[40, 1]]],
  ])('%j returns all matching logs in order', async (parts, places) => {
    expect((await query(parts)).places).toEqual(places);
  });

  test('receipts are requested for candidate blocks only, in one round after the headers', async () => {
    const { node } = await query({ addresses: [token] });
    const receipts = node.rounds.filter((methods) => methods.includes('eth_getBlockReceipts'));
    expect(receipts).toHaveLength(1);
    expect(receipts[0]?.length).toBeLessThanOrEqual(4);
  });

  test('an upstream that hides a log is isolated, and the logs are complete', async () => {
    const hide: Lie = (method, _, result) =>
      method === 'eth_getBlockReceipts'
        ? (result as Json[]).map((receipt) => ({ ...receipt, logs: [], logsBloom: `0x${'00'.repeat(256)}` }))
        : result;
    await expect(query({ addresses: [token] }, [hide])).rejects.toMatchObject({ code: 'UPSTREAMS_UNAVAILABLE' });
    const { places } = await query({ addresses: [token] }, [hide, undefined]);
    expect(places).toEqual([
      [3, 0],
      [40, 1],
      [90, 0],
    ]);
  });

  test('a header whose bloom hides a block does not link', async () => {
    const hide: Lie = (_, params, result) =>
      params[0] === '0x28' || params[0] === chain.at(40).hash
        ? { ...(result as Json), logsBloom: `0x${'00'.repeat(256)}` }
        : result;
    const { places } = await query({ addresses: [token] }, [hide, undefined]);
    expect(places).toEqual([
      [3, 0],
      [40, 1],
      [90, 0],
    ]);
  });
});

describe('ProvenChain.run', () => {
  const long = new TestChain({ length: 100, logs, withHistory: true });
  const start = async (lies?: (Lie | undefined)[]) => {
    const { blocks, node } = await setUp(long, lies);
    return {
      provenChain: new ProvenChain({
        spec: { name: 'test', chainId: '1', known: 'mainnet' },
        blocks,
        heads: () => ({ latest: long.head, finalized: long.at(70) }),
      }),
      node,
    };
  };

  test('synchronous reads of blocks, receipts, logs and state give verified results', async () => {
    const { provenChain } = await start();
    const { hash } = long.at(40);
    const found = await provenChain.run((reader) => {
      const [first] = reader.block(hash)?.transactions ?? [];
      const place = first && reader.transactionPlace(first.hash);
      const state = reader.stateAt(reader.head.hash);
      return {
        number: reader.header(hash)?.number,
        byNumber: reader.hashByNumber(40n) === hash,
        place: place?.blockHash === hash && place.index === 0,
        logs: reader.receipts(hash)?.[0]?.logs.length,
        heights: reader.heightsWithLogs([{ field: 'address', values: [token] }], { from: 0n, to: 99n }),
        account: state?.getAccount(Buffer.from('0000f90827f1c53a10cb7a02335b175320002935', 'hex'))?.nonce,
        proof: reader.proof(reader.head.hash, new Uint8Array(20), [])?.account,
        finalized: reader.blockByTag('finalized').number,
        earliest: reader.blockByTag('earliest').hash === long.at(0).hash,
      };
    });
    expect(found).toEqual({
      number: 40n,
      byNumber: true,
      place: true,
      logs: 2,
      heights: [3n, 40n, 90n],
      account: 1n,
      proof: undefined,
      finalized: 70n,
      earliest: true,
    });
  });

  test('unknown blocks and transactions are undefined, and an error of the valid run is thrown', async () => {
    const { provenChain } = await start();
    const unknown = topic(99);
    expect(
      await provenChain.run((reader) => [
        reader.header(unknown),
        reader.block(unknown),
        reader.transactionPlace(unknown),
        reader.hashByNumber(100n),
        reader.isCanonical(unknown),
      ]),
    ).toEqual([undefined, undefined, undefined, undefined, false]);
    const work = (reader: ProvenReader) => {
      try {
        reader.header(long.at(5).hash);
      } catch {
        // A method that hides the interruption is repeated nevertheless.
      }
      throw new Error(`no ${reader.header(long.at(6).hash)?.number}`);
    };
    await expect(provenChain.run(work)).rejects.toThrow('no 6');
  });

  test('a forged place of a transaction isolates the upstream', async () => {
    const forge: Lie = (method, _, result) =>
      method === 'eth_getTransactionByHash' ? { blockHash: long.at(3).hash } : result;
    const { provenChain } = await start([forge]);
    const hash = (long.blocks[40]?.block.transactions[0]?.hash ?? '0x') as Hex;
    await expect(provenChain.run((reader) => reader.transactionPlace(hash))).rejects.toMatchObject({
      code: 'UPSTREAMS_UNAVAILABLE',
    });
  });
});
