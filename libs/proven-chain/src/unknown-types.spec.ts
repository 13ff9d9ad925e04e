import {
  type Hex,
  type Json,
  knownChainSpec,
  proofOfReceipts,
  receiptToJson,
  senderOf,
  transactionToJson,
} from '@cairn/block-model';
import { MemoryContentCache } from '@cairn/proven-state';
import { createUpstreamPool, type UpstreamPool } from '@cairn/upstream';
import { afterEach, describe, expect, test } from '@jest/globals';
import { type Lie, startChainNode, TestChain } from './chain-node.fixture.ts';
import { ProvenBlocks, ProvenChain, type ProvenReader, requireKnownHeaders } from './index.ts';

const token: Hex = `0x${'aa'.repeat(20)}`;
const chain = new TestChain({ length: 10, logs: { 4: [{ address: token, topics: [], data: '0x12' }] } });
const { hash } = chain.at(4);

const pools: UpstreamPool[] = [];
const nodes: Awaited<ReturnType<typeof startChainNode>>[] = [];
afterEach(async () => {
  await Promise.all(pools.splice(0).map((pool) => pool.close()));
  await Promise.all(nodes.splice(0).map((node) => node.stop()));
});

async function setUp(lies: readonly (Lie | undefined)[], quorum?: number, trusted?: number) {
  const started = await Promise.all(lies.map((lie) => startChainNode(chain, lie)));
  nodes.push(...started);
  let isolated = 0;
  const pool = createUpstreamPool({
    chainId: 1n,
    upstreams: started.map(({ url }) => url),
    onEvent: ({ type }) => {
      if (type === 'isolated') isolated += 1;
    },
  });
  pools.push(pool);
  const cache = new MemoryContentCache({ bytesMax: 1024 * 1024 });
  const among = trusted === undefined ? undefined : [new URL(started[trusted]?.url ?? '').host];
  const bodyAttestation = quorum === undefined ? undefined : { quorum, ...(among && { among }) };
  return { pool, blocks: new ProvenBlocks({ pool, cache, bodyAttestation }), isolated: () => isolated };
}

/** Changes every transaction and receipt of a node. */
const edit =
  (change: (item: Json) => Json): Lie =>
  (method, params, result) => {
    if (method === 'eth_getBlockReceipts') return (result as Json[]).map(change);
    if (method !== 'eth_getBlockByHash' || params[1] !== true) return result;
    const block = result as Json;
    return { ...block, transactions: (block.transactions as Json[]).map(change) };
  };
const celo = edit((item) => ({ ...item, type: '0x7b', feeCurrency: token }));
const reordered = edit((item) =>
  Object.fromEntries(Object.entries({ ...item, feeCurrency: token, type: '0x7B' }).toReversed()),
);
const otherValue = edit((item) => ({ ...item, type: '0x7b', feeCurrency: `0x${'bb'.repeat(20)}` }));
const noLogs = edit((item) => ({
  ...item,
  type: '0x7b',
  feeCurrency: token,
  ...(item.logs !== undefined && { logs: [] }),
}));

describe('transaction types of no known format', () => {
  test('bodies and receipts that a quorum agrees on are returned as given, with the proof level quorum', async () => {
    const { blocks } = await setUp([celo, reordered], 2);
    const block = await blocks.block(hash);
    const [transaction] = block.transactions;
    if (transaction === undefined) throw new Error('the block is empty');
    expect(block.proof).toBe('quorum');
    expect(transaction.type).toBe(0x7b);
    expect(transactionToJson(transaction, { header: block.header, index: 0 })).toMatchObject({ feeCurrency: token });
    expect(senderOf(transaction)).toBe(transaction.given?.from);
    const receipts = await blocks.receipts(hash);
    expect(proofOfReceipts(receipts)).toBe('quorum');
    expect(receipts[0]?.logs).toHaveLength(1);
    expect(receiptToJson({ block, receipts, index: 0 })).toMatchObject({ feeCurrency: token });
    // Blocks of known types on the same chain are proven.
    expect((await blocks.block(chain.at(5).hash)).proof).toBeUndefined();
  });

  test('a run reports that its blocks and receipts rest on a quorum', async () => {
    const { blocks } = await setUp([celo, celo], 2);
    const spec = knownChainSpec('mainnet', 'mainnet');
    const provenChain = new ProvenChain({ spec, blocks, heads: () => ({ latest: chain.head }) });
    const quorumOf = async (work: (reader: ProvenReader) => unknown) => {
      let isQuorum = false;
      const onQuorum = () => {
        isQuorum = true;
      };
      await provenChain.run(work, { onQuorum });
      return isQuorum;
    };
    expect(await quorumOf((reader) => reader.block(hash))).toBe(true);
    expect(await quorumOf((reader) => reader.receipts(hash))).toBe(true);
    expect(await quorumOf((reader) => reader.block(chain.at(5).hash))).toBe(false);
  });

  test('upstreams that disagree are refused', async () => {
    const { blocks } = await setUp([celo, otherValue], 2);
    await expect(blocks.block(hash)).rejects.toMatchObject({ code: 'UPSTREAMS_DISAGREE' });
    await expect(blocks.receipts(hash)).rejects.toMatchObject({ code: 'UPSTREAMS_DISAGREE' });
  });

  test('a third upstream decides between two', async () => {
    const { blocks } = await setUp([otherValue, celo, celo], 2);
    expect((await blocks.block(hash)).transactions[0]?.given).toMatchObject({ feeCurrency: token });
  });

  test('only a trusted upstream counts where one is named', async () => {
    const { blocks } = await setUp([otherValue, celo], 1, 1);
    expect((await blocks.block(hash)).transactions[0]?.given).toMatchObject({ feeCurrency: token });
    expect((await blocks.receipts(hash))[0]?.given).toMatchObject({ feeCurrency: token });
  });

  test('one proven answer is accepted against a liar that invents a type', async () => {
    const { blocks } = await setUp([celo, undefined], 2);
    expect((await blocks.block(hash)).proof).toBeUndefined();
    expect(proofOfReceipts(await blocks.receipts(hash))).toBe('proven');
  });

  test('receipts whose logs do not match the bloom of the header isolate the upstream', async () => {
    const { blocks, isolated } = await setUp([noLogs, celo, celo], 2);
    expect((await blocks.receipts(hash))[0]?.logs).toHaveLength(1);
    expect(isolated()).toBe(1);
  });

  test('an unknown type isolates the upstream where no quorum is set', async () => {
    const { blocks, isolated } = await setUp([celo]);
    await expect(blocks.block(hash)).rejects.toMatchObject({ code: 'UPSTREAMS_UNAVAILABLE' });
    expect(isolated()).toBe(1);
  });
});

describe('requireKnownHeaders', () => {
  const latest = (change: Json) => {
    const node = Object.create(chain) as TestChain;
    node.answer = (method, params) => {
      const result = chain.answer(method, params);
      return params[0] === 'latest' ? { ...(result as Json), ...change } : result;
    };
    return node;
  };
  const start = async (served: readonly TestChain[]) => {
    const started = await Promise.all(served.map((one) => startChainNode(one)));
    nodes.push(...started);
    const pool = createUpstreamPool({ chainId: 1n, upstreams: started.map(({ url }) => url) });
    pools.push(pool);
    return pool;
  };
  const strange = latest({ l1BatchNumber: '0x1', sealFields: [], extraData: '0x99' });

  test('accepts headers whose hash is that of their fields, with further fields in the JSON', async () => {
    await requireKnownHeaders(await start([chain, latest({ l1BlockNumber: '0x1' })]), { quorum: 2 });
  });

  test('refuses a chain whose headers have another format, and names the fields', async () => {
    const pool = await start([strange, strange]);
    await expect(requireKnownHeaders(pool, { quorum: 2 })).rejects.toMatchObject({
      code: 'HEADER_FORMAT_UNKNOWN',
      message: expect.stringContaining('l1BatchNumber, sealFields'),
    });
  });

  test('one upstream with another format does not suffice', async () => {
    await requireKnownHeaders(await start([strange, chain, chain]), { quorum: 2 });
  });
});
