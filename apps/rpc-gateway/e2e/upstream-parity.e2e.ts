import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, conformance, type Gateway, post, startGateway } from './gateway.ts';
import { sample, sampleEntry } from './sample-network.ts';

// An imported chain, and a network that reads the same chain from it as an untrusted node, return the same answers.
const directory = join(conformance, 'execution-apis');
const isThere = existsSync(join(directory, 'chain.rlp'));
const chains = [
  { ...sampleEntry, accounts: [sample.contracts.Token.address, sample.contracts.Loops.address] },
  ...(isThere
    ? [
        {
          name: 'execution-apis',
          genesis: join(directory, 'genesis.json'),
          blocks: [join(directory, 'chain.rlp')],
          accounts: ['0x7dcd17433742f4c0ca53122ab541d0ba67fc27df'],
        },
      ]
    : []),
];

interface Transaction {
  readonly hash: string;
  readonly from: string;
  readonly to: string | null;
  readonly input: string;
  readonly value: string;
  readonly gas: string;
}
interface Block {
  readonly number: string;
  readonly hash: string;
  readonly transactions: readonly Transaction[];
}
type Request = readonly [method: string, params: readonly unknown[]];

/** Calls of one HTTP request. */
const batchMax = 10;
const transactionsMax = 30;

async function answers(gateway: Gateway, requests: readonly Request[]): Promise<readonly Answer[]> {
  const all: Answer[] = [];
  for (let start = 0; start < requests.length; start += batchMax) {
    const batch = requests.slice(start, start + batchMax);
    const body = batch.map(([method, params], id) => ({ jsonrpc: '2.0', id, method, params }));
    all.push(...((await (await post(gateway.url, JSON.stringify(body))).json()) as Answer[]));
  }
  return all;
}

describe.each(chains)('the chain $name', ({ accounts, ...entry }) => {
  let imported: Gateway;
  let remote: Gateway;
  const blocks: Block[] = [];
  beforeAll(async () => {
    imported = await startGateway({ networks: [{ ...entry, hosts: ['*'], requireFrom: false }] });
    const { name, genesis } = entry;
    const upstreams = [imported.url];
    remote = await startGateway({
      networks: [{ name, genesis, hosts: ['*'], upstreams, head: { trusted: true }, requireFrom: false }],
    });
    const [height] = await answers(imported, [['eth_blockNumber', []]]);
    const requests = Array.from(
      { length: Number(height?.result) },
      (_, index): Request => ['eth_getBlockByNumber', [`0x${(index + 1).toString(16)}`, true]],
    );
    for (const { result } of await answers(imported, requests)) blocks.push(result as Block);
  });
  afterAll(async () => {
    await remote?.stop();
    await imported?.stop();
  });

  /** Compares answers one by one, so that a difference names its request. Returns the number of results. */
  async function expectSame(requests: readonly Request[]): Promise<number> {
    expect(requests.length).toBeGreaterThan(0);
    const [theirs, ours] = [await answers(imported, requests), await answers(remote, requests)];
    for (const [index, request] of requests.entries())
      expect({ request, answer: ours[index] }).toEqual({ request, answer: theirs[index] });
    return theirs.filter(({ result }) => result !== undefined && result !== null).length;
  }
  const ofBlocks = (request: (block: Block) => Request) => blocks.map(request);
  /** Requests for transactions from the whole chain. */
  const ofTransactions = (request: (transaction: Transaction, block: Block) => Request) => {
    const all = blocks.flatMap((block) => block.transactions.map((transaction) => request(transaction, block)));
    const step = Math.ceil(all.length / transactionsMax);
    return all.filter((_, index) => index % step === 0);
  };
  // The gas of the transaction bounds calls that loop until it ends.
  const callOf = ({ from, to, input, value, gas }: Transaction) => ({
    from,
    value,
    input,
    gas,
    ...(to !== null && { to }),
  });
  const parentOf = ({ number }: Block) => `0x${(Number(number) - 1).toString(16)}`;

  test.each(['callTracer', 'prestateTracer', '4byteTracer', 'flatCallTracer'])(
    'debug_traceBlockByHash with %s',
    async (tracer) => {
      expect(await expectSame(ofBlocks(({ hash }) => ['debug_traceBlockByHash', [hash, { tracer }]]))).toBe(
        blocks.length,
      );
    },
  );

  test('debug_traceTransaction with struct logs', async () => {
    const requests = ofTransactions(({ hash }) => ['debug_traceTransaction', [hash, {}]]);
    expect(await expectSame(requests)).toBeGreaterThan(0);
  });

  test('trace_block, trace_replayBlockTransactions and trace_filter', async () => {
    expect(await expectSame(ofBlocks(({ number }) => ['trace_block', [number]]))).toBe(blocks.length);
    const types = ['trace', 'stateDiff', 'vmTrace'];
    expect(await expectSame(ofBlocks(({ number }) => ['trace_replayBlockTransactions', [number, types]]))).toBe(
      blocks.length,
    );
    const range = { fromBlock: '0x1', toBlock: blocks.at(-1)?.number };
    expect(
      await expectSame([
        ['trace_filter', [range]],
        ['trace_filter', [{ ...range, toAddress: accounts }]],
      ]),
    ).toBe(2);
  });

  test('trace_call, debug_traceCall, eth_estimateGas and eth_createAccessList of each transaction', async () => {
    const requests: readonly ((transaction: Transaction, block: Block) => Request)[] = [
      (one, block) => ['trace_call', [callOf(one), ['trace', 'stateDiff'], parentOf(block)]],
      (one, block) => ['debug_traceCall', [callOf(one), parentOf(block), { tracer: 'callTracer' }]],
      (one, block) => ['eth_estimateGas', [callOf(one), parentOf(block)]],
      (one, block) => ['eth_createAccessList', [callOf(one), parentOf(block)]],
    ];
    for (const request of requests) expect(await expectSame(ofTransactions(request))).toBeGreaterThan(0);
  });

  test('eth_simulateV1 and cairn_call of each transaction', async () => {
    const simulate = ofTransactions((one, block) => [
      'eth_simulateV1',
      [
        { blockStateCalls: [{ calls: [callOf(one), callOf(one)] }, { calls: [callOf(one)] }], traceTransfers: true },
        parentOf(block),
      ],
    ]);
    expect(await expectSame(simulate)).toBeGreaterThan(0);
    const witness = ofTransactions((one, block) => ['cairn_call', [callOf(one), parentOf(block)]]);
    expect(await expectSame(witness)).toBeGreaterThan(0);
  });

  test('cairn_getLogs and eth_getProof', async () => {
    const logs = ofBlocks(({ number }) => ['cairn_getLogs', [{ fromBlock: number, toBlock: number }]]);
    expect(await expectSame(logs)).toBeGreaterThan(20);
    const range = { fromBlock: blocks[3]?.number, toBlock: blocks[8]?.number };
    expect(await expectSame([['cairn_getLogs', [{ ...range, address: accounts }]]])).toBe(1);
    const absent = `0x${'de'.repeat(20)}`;
    const proofs = accounts
      .concat(absent)
      .flatMap((account) =>
        ofBlocks(({ number }): Request => ['eth_getProof', [account, ['0x0', `0x${'fe'.repeat(32)}`], number]]),
      );
    expect(await expectSame(proofs)).toBe(proofs.length);
  });
});
