import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { type Answer, call, conformance, type Gateway, startGateway } from './gateway.ts';

// Recorded results of geth 1.17.5 in archive mode for valid, unusual and invalid parameters of read methods on the 54-block chain.
// Long results are stored as the SHA-256 of their JSON with sorted keys. tools/differential/areas/reads.mjs finds such cases.
interface Recorded {
  readonly method: string;
  readonly params: readonly unknown[];
  readonly result?: unknown;
  readonly digest?: string;
  readonly error?: { readonly code: number; readonly message: string };
}

const chain = join(conformance, 'execution-apis');
const isThere = existsSync(join(chain, 'chain.rlp'));
const recorded: readonly Recorded[] = JSON.parse(
  readFileSync(new URL('./recorded-reads.json', import.meta.url), 'utf8'),
);
const byMethod = new Map<string, Recorded[]>();
for (const one of recorded) byMethod.set(one.method, [...(byMethod.get(one.method) ?? []), one]);

if (!isThere) test.skip(`skipped: no conformance data in ${conformance}`, () => {});

(isThere ? describe : describe.skip)('read methods answer as geth does', () => {
  let gateway: Gateway | undefined;
  beforeAll(async () => {
    const files = { genesis: join(chain, 'genesis.json'), blocks: [join(chain, 'chain.rlp')] };
    gateway = await startGateway({
      networks: [{ name: 'execution-apis', hosts: ['*'], requireFrom: false, ...files }],
    });
  });
  afterAll(() => gateway?.stop());
  const ask = (method: string, params: readonly unknown[]) => call(gateway?.url ?? '', method, params);

  test.each([...byMethod])('%s', async (method, cases) => {
    for (const { params, result, digest, error } of cases) {
      const answer = await ask(method, params);
      const expected = error === undefined ? { result, digest } : { code: error.code, message: error.message };
      expect({ params, ...shortened(answer, { error, digest }) }).toEqual({ params, ...expected });
    }
  });

  test('the pending block is an empty block after the head', async () => {
    const head = (await ask('eth_getBlockByNumber', ['latest', false])).result as Record<string, string>;
    const pending = (await ask('eth_getBlockByNumber', ['pending', true])).result as Record<string, unknown>;
    // The gas limit moves from the 200 million of the chain towards geth's 60 million.
    expect(pending).toMatchObject({
      number: '0x37',
      parentHash: head.hash,
      baseFeePerGas: '0x16dfe9b',
      gasLimit: '0xbe8c711',
      gasUsed: '0x0',
      blobGasUsed: '0x0',
      excessBlobGas: '0x0',
      difficulty: '0x0',
      mixHash: `0x${'00'.repeat(32)}`,
      hash: null,
      nonce: null,
      miner: null,
      transactions: [],
      uncles: [],
      withdrawals: [],
      requestsHash: '0xe3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    });
    expect(Object.keys(pending)).not.toContain('parentBeaconBlockRoot');
    const { transactions: _, uncles: __, withdrawals: ___, size: ____, ...header } = pending;
    expect((await ask('eth_getHeaderByNumber', ['pending'])).result).toEqual(header);
    expect((await ask('debug_traceBlockByNumber', ['pending'])).result).toEqual([]);
    expect((await ask('eth_getProof', [`0x${'00'.repeat(20)}`, [], 'pending'])).error).toMatchObject({
      code: -32000,
      message: expect.stringMatching(/^missing trie node/),
    });
  });

  test('a call on the pending block reads its environment and the state of the head', async () => {
    // Returns NUMBER, BASEFEE, GASLIMIT and COINBASE, one word each. As in geth, BASEFEE is 0 for calls without a gas price.
    const code = '0x4360005248602052456040524160605260806000f3';
    const call = {
      from: `0x${'00'.repeat(20)}`,
      to: `0x${'ee'.repeat(20)}`,
      maxFeePerGas: '0x16dfe9b',
      gas: '0x186a0',
    };
    const overrides = { [call.to]: { code }, [call.from]: { balance: '0xffffffffffffffff' } };
    const { result } = await ask('eth_call', [call, 'pending', overrides]);
    const words = String(result).slice(2).match(/.{64}/g);
    expect(words?.map((word) => `0x${word.replace(/^0+(?=.)/, '')}`)).toEqual([
      '0x37',
      '0x16dfe9b',
      '0xbe8c711',
      '0x0',
    ]);
  });

  test('methods that geth lacks return the format of other clients', async () => {
    const account = '0x7dcd17433742f4c0ca53122ab541d0ba67fc27df';
    const { result: proof } = (await ask('eth_getProof', [account, []])) as {
      readonly result: Record<string, unknown>;
    };
    expect((await ask('eth_getAccount', [account, 'latest'])).result).toEqual({
      balance: proof.balance,
      codeHash: proof.codeHash,
      nonce: proof.nonce,
      storageRoot: proof.storageHash,
    });
    expect((await ask('eth_getAccount', [`0x${'00'.repeat(19)}ff`, 'latest'])).result).toBeNull();
    const block = (await ask('eth_getBlockByNumber', ['latest', true])).result as {
      readonly transactions: readonly Record<string, string>[];
    };
    for (const transaction of block.transactions) {
      const { from, nonce } = transaction;
      expect((await ask('eth_getTransactionBySenderAndNonce', [from, nonce])).result).toEqual(transaction);
    }
    const { from } = block.transactions[0] ?? {};
    expect((await ask('eth_getTransactionBySenderAndNonce', [from, '0xffffff'])).result).toBeNull();
    for (const [method, result] of [
      ['eth_protocolVersion', '0x45'],
      ['eth_mining', false],
      ['eth_hashrate', '0x0'],
      ['eth_coinbase', `0x${'00'.repeat(20)}`],
    ] as const)
      expect((await ask(method, [])).result).toBe(result);
    expect((await ask('eth_capabilities', [])).result).toMatchObject({
      head: { number: '0x36' },
      state: { disabled: false, oldestBlock: '0x0' },
      stateproofs: { disabled: false, oldestBlock: '0x0' },
    });
    expect((await ask('rpc_modules', [])).result).toMatchObject({ eth: '1.0', net: '1.0', txpool: '1.0', web3: '1.0' });
  });

  test('eth_fillTransaction refuses authorizations on which geth crashes, and blobs that need proofs', async () => {
    const from = `0x${'11'.repeat(20)}`;
    const errorOf = async (transaction: object) => (await ask('eth_fillTransaction', [transaction])).error;
    expect(await errorOf({ from, data: '0x01', authorizationList: [] })).toMatchObject({
      code: -32000,
      message: expect.stringContaining('but "to" field is missing'),
    });
    expect(await errorOf({ from, to: from, blobs: ['0x'] })).toMatchObject({
      code: -32602,
      message: expect.stringContaining('"blobs" is not supported for this RPC method. Give blobVersionedHashes'),
    });
  });

  test('a filter reports nothing before new blocks, and ends when it is uninstalled', async () => {
    for (const [method, params] of [
      ['eth_newBlockFilter', []],
      ['eth_newPendingTransactionFilter', [true]],
      ['eth_newFilter', [{}]],
    ] as const) {
      const { result: id } = await ask(method, params);
      expect((await ask('eth_getFilterChanges', [id])).result).toEqual([]);
      if (method === 'eth_newFilter') expect((await ask('eth_getFilterLogs', [id])).result).toHaveLength(11);
      else expect((await ask('eth_getFilterLogs', [id])).error).toMatchObject({ code: -32000 });
      expect((await ask('eth_uninstallFilter', [id])).result).toBe(true);
      expect((await ask('eth_uninstallFilter', [id])).result).toBe(false);
    }
  });
});

/** Converts an answer to the recorded form: messages without the hint, long results as digests. */
function shortened(
  { result, error }: Answer,
  recordedAnswer: Pick<Recorded, 'digest' | 'error'>,
): Record<string, unknown> {
  if (error === undefined) {
    if (recordedAnswer.digest === undefined) return { result: sorted(result), digest: undefined };
    const digest = createHash('sha256')
      .update(JSON.stringify(sorted(result)))
      .digest('hex');
    return { result: undefined, digest };
  }
  const words = recordedAnswer.error?.message ?? '';
  const { code, message } = error;
  return { code, message: message.startsWith(`${words}. `) ? words : message };
}

/** Sorts members and removes totalDifficulty, which geth does not return. */
function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(([key]) => key !== 'totalDifficulty');
  return Object.fromEntries(entries.sort(([a], [b]) => (a < b ? -1 : 1)).map(([key, item]) => [key, sorted(item)]));
}
