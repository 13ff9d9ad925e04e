import { readFileSync } from 'node:fs';
import { type Hex, parseGethGenesis } from '@cairn/block-model';
import {
  agreedHead,
  createVerifyingProvider,
  headOfGateway,
  httpRequest,
  type RpcRequest,
} from '@cairn/verify/provider';
import { verifyingTransport } from '@cairn/verify/viem';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { createPublicClient, http, type PublicClient, parseAbiItem } from 'viem';
import { type Gateway, startGateway } from './gateway.ts';
import { sample, sampleEntry } from './sample-network.ts';

const { Token, Reverts } = sample.contracts;
const { alice, bob } = sample.accounts;
const { spec: chain } = parseGethGenesis('sample', JSON.parse(readFileSync(sampleEntry.genesis, 'utf8')));
const trustedHead = () => ({ hash: sample.head, finalized: sample.head });

let gateway: Gateway;
let honest: RpcRequest;
beforeAll(async () => {
  gateway = await startGateway();
  honest = httpRequest(gateway.url);
});
afterAll(() => gateway?.stop());

const ask = (method: string, ...params: readonly unknown[]) => honest({ method, params });
const providerOver = (request: RpcRequest) => createVerifyingProvider({ gateway: request, trustedHead, chain });
const balanceOf = { from: alice, to: Token.address, data: `0x70a08231${alice.slice(2).padStart(64, '0')}` };
const transfer = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)');

/** Requests whose verified results equal those of the gateway. */
async function requests(): Promise<readonly (readonly [string, ...unknown[]])[]> {
  const [log] = (await ask('eth_getLogs', { address: Token.address, fromBlock: '0x0' })) as [Record<string, Hex>];
  const { blockHash, transactionHash, transactionIndex } = log;
  return [
    ['eth_chainId'],
    ['eth_blockNumber'],
    ['eth_call', balanceOf, 'latest'],
    ['eth_call', balanceOf, '0xa'],
    ['eth_call', balanceOf, { blockHash: sample.head, requireCanonical: true }],
    ['eth_getBalance', alice, 'latest'],
    ['eth_getBalance', alice, '0x1'],
    ['eth_getTransactionCount', alice, 'latest'],
    ['eth_getCode', Token.address, 'latest'],
    ['eth_getCode', alice, 'finalized'],
    ['eth_getStorageAt', Token.address, '0x0', 'latest'],
    ['eth_getProof', Token.address, ['0x0', '0x1'], 'latest'],
    ['eth_getProof', `0x${'ee'.repeat(20)}`, ['0x0'], 'latest'],
    ['eth_getBlockByNumber', 'latest', false],
    ['eth_getBlockByNumber', '0x0', true],
    ['eth_getBlockByHash', blockHash, true],
    ['eth_getHeaderByNumber', '0x7'],
    ['eth_getBlockTransactionCountByHash', blockHash],
    ['eth_getBlockReceipts', blockHash],
    ['eth_getTransactionByHash', transactionHash],
    ['eth_getTransactionReceipt', transactionHash],
    ['eth_getTransactionByBlockHashAndIndex', blockHash, transactionIndex],
    ['eth_getLogs', { address: Token.address, fromBlock: '0x0', toBlock: 'latest' }],
    ['eth_getLogs', { fromBlock: '0x0', toBlock: '0x10', topics: [[]] }],
    ['eth_getLogs', { blockHash }],
  ];
}

describe('the verifying provider', () => {
  test('returns what the gateway returns', async () => {
    const provider = providerOver(honest);
    for (const [method, ...params] of await requests()) {
      const plain = await ask(method, ...params);
      // No header proves the total difficulty.
      if (typeof plain === 'object' && plain !== null && 'totalDifficulty' in plain) delete plain.totalDifficulty;
      expect({ method, params, result: await provider.request({ method, params }) }).toEqual({
        method,
        params,
        result: plain,
      });
    }
  });

  test('returns the errors of a node: reverts with data, an unknown block, wrong parameters', async () => {
    const provider = providerOver(honest);
    const failure = async (method: string, ...params: readonly unknown[]) =>
      provider.request({ method, params }).catch(({ code, data }) => ({ code, hasData: data !== undefined }));
    const revert = { from: alice, to: Reverts.address, data: '0x00000000' };
    const plain = await ask('eth_call', revert).catch(({ code, data }) => ({ code, hasData: data !== undefined }));
    expect(await failure('eth_call', revert, 'latest')).toEqual(plain);
    expect(await failure('eth_getBalance', alice, '0x1000')).toMatchObject({ code: -32000 });
    expect(await failure('eth_getBalance', 'no address', 'latest')).toMatchObject({ code: -32602 });
    expect(await provider.request({ method: 'eth_getBlockByNumber', params: ['0x1000', false] })).toBeNull();
    expect(
      await provider.request({ method: 'eth_getTransactionReceipt', params: [`0x${'11'.repeat(32)}`] }),
    ).toBeNull();
  });

  test.each([
    [{ toBlock: '0x1' }, -32602],
    [{ fromBlock: 'latest', toBlock: '0x1' }, -32602],
    [{ fromBlock: '0x5', toBlock: '0x4' }, -32602],
    [{ blockHash: sample.head, toBlock: '0x1' }, -32602],
    ['0x1', -32602],
    [[], -32602],
  ])('refuses the filter %j with the code of the gateway', async (filter, code) => {
    await expect(ask('eth_getLogs', filter)).rejects.toMatchObject({ code });
    const call = { method: 'eth_getLogs', params: [filter] };
    await expect(providerOver(honest).request(call)).rejects.toMatchObject({ code });
  });

  test.each([
    ['eth_getLogs', { toBlock: 'latest', blockHash: null }],
    ['eth_getBlockTransactionCountByNumber', '0x1000'],
    ['eth_getBlockTransactionCountByHash', `0x${'11'.repeat(32)}`],
    ['eth_getTransactionByBlockNumberAndIndex', '0x1000', '0x0'],
    ['eth_getTransactionByBlockHashAndIndex', `0x${'11'.repeat(32)}`, '0x0'],
    ['eth_getBalance', alice, null],
  ])('answers %s of %j as the gateway does', async (method, ...params) => {
    expect(await providerOver(honest).request({ method, params })).toEqual(await ask(method, ...params));
  });

  test('refuses methods whose answers cannot be verified, unless they are listed', async () => {
    const provider = providerOver(honest);
    for (const method of ['eth_gasPrice', 'eth_estimateGas', 'debug_traceCall', 'toString', '__proto__'])
      await expect(provider.request({ method })).rejects.toMatchObject({ code: 4200 });
    await expect(provider.request({ method: 'eth_getBalance', params: [alice, 'pending'] })).rejects.toMatchObject({
      code: 4200,
    });
    const listed = createVerifyingProvider({ gateway: honest, trustedHead, chain, unverified: ['eth_gasPrice'] });
    expect(await listed.request({ method: 'eth_gasPrice' })).toMatch(/^0x/);
  });

  test('refuses a head that the gateway does not have', async () => {
    const wrong = createVerifyingProvider({
      gateway: honest,
      trustedHead: () => ({ hash: `0x${'11'.repeat(32)}` }),
      chain,
    });
    await expect(wrong.request({ method: 'eth_getBalance', params: [alice, 'latest'] })).rejects.toThrow(
      /header for hash/,
    );
  });

  test('takes the head from gateways that agree', async () => {
    const other: RpcRequest = async (call) => ({ ...((await honest(call)) as object), timestamp: '0x1' });
    expect(await agreedHead([honest, honest])()).toEqual({ hash: sample.head });
    expect(await agreedHead([honest, other, honest], { required: 2 })()).toEqual({ hash: sample.head });
    await expect(agreedHead([honest, other])()).rejects.toMatchObject({ code: 'BLOCK_UNTRUSTED' });
    expect(await headOfGateway(honest)()).toEqual({ hash: sample.head });
  });
});

/** Every change of one leaf of an answer, and every answer without one of its list items or fields. */
function* lies(answer: unknown): Generator<unknown> {
  if (typeof answer === 'string') {
    const last = answer.at(-1) === '1' ? '2' : '1';
    yield `${answer.slice(0, -1)}${last}`;
    if (answer.length > 40) yield `${answer.slice(0, 20)}${answer[20] === '1' ? '2' : '1'}${answer.slice(21)}`;
    if (answer.length > 200) yield answer.slice(0, -2);
    yield '0x';
  } else if (Array.isArray(answer)) {
    yield [];
    for (const [index, item] of answer.entries()) {
      yield answer.toSpliced(index, 1);
      for (const lie of lies(item)) yield answer.with(index, lie);
    }
  } else if (typeof answer === 'object' && answer !== null) {
    for (const [key, value] of Object.entries(answer)) {
      for (const lie of lies(value)) yield { ...answer, [key]: lie };
      yield { ...answer, [key]: null };
    }
  } else yield 'x';
}

describe('a gateway that lies', () => {
  test('about any part of any answer changes no result', async () => {
    let refused = 0;
    let sent = 0;
    for (const [method, ...params] of await requests()) {
      const truth = await providerOver(honest).request({ method, params });
      const answers = new Map<string, unknown>();
      await providerOver(async (call) => {
        const answer = await honest(call);
        answers.set(JSON.stringify(call), answer);
        return answer;
      }).request({ method, params });
      const known: RpcRequest = async (call) => answers.get(JSON.stringify(call)) ?? honest(call);
      for (const [lied, answer] of answers) {
        const all = [...lies(answer), null];
        const step = Math.ceil(all.length / 60);
        for (const lie of all.filter((_, index) => index % step === 0)) {
          sent++;
          const provider = providerOver(async (call) => (JSON.stringify(call) === lied ? lie : known(call)));
          const result = await provider.request({ method, params }).catch((error: { name: string }) => {
            expect(error.name).toMatch(/^(VerifyError|ProviderRpcError)$/);
            return undefined;
          });
          if (result === undefined) refused++;
          // The gateway can hide a transaction, since nothing proves its absence.
          else if (result !== null) expect({ method, lied, result }).toEqual({ method, lied, result: truth });
        }
      }
    }
    console.log(`${sent} lies, ${refused} refused, the others without effect`);
    expect(refused).toBeGreaterThan(500);
  });

  test('about the block of a transaction is refused', async () => {
    const [log] = (await ask('eth_getLogs', { address: Token.address, fromBlock: '0x0' })) as [Record<string, Hex>];
    const method = 'eth_getTransactionReceipt';
    const lying = providerOver(async (call) => {
      const answer = (await honest(call)) as object;
      return call.method === method ? { ...answer, blockHash: sample.head } : answer;
    });
    await expect(lying.request({ method, params: [log.transactionHash] })).rejects.toMatchObject({
      code: 'PROOF_INVALID',
    });
  });
});

describe('viem over the verifying transport', () => {
  const clientOver = (request: RpcRequest) =>
    createPublicClient({ transport: verifyingTransport({ gateway: request, trustedHead, chain }) }) as PublicClient;
  const read = {
    address: Token.address,
    abi: Token.abi,
    functionName: 'balanceOf',
    args: [alice],
    account: alice,
  } as const;

  test('reads contracts, logs, receipts, blocks and proofs as viem over HTTP does', async () => {
    const [verified, plain] = [
      clientOver(honest),
      createPublicClient({ transport: http(gateway.url) }) as PublicClient,
    ];
    const results = async (client: PublicClient) => {
      const logs = await client.getLogs({ address: Token.address, event: transfer, fromBlock: 0n, toBlock: 'latest' });
      const { totalDifficulty: _difficulty, ...block } = await client.getBlock({
        blockNumber: 9n,
        includeTransactions: true,
      });
      return {
        chainId: await client.getChainId(),
        balance: await client.readContract(read),
        logs,
        block,
        receipt: await client.getTransactionReceipt({ hash: logs[0]?.transactionHash as Hex }),
        proof: await client.getProof({ address: alice, storageKeys: [`0x${'00'.repeat(32)}`] }),
        simulated: (await client.simulateContract({ ...read, functionName: 'transfer', args: [bob, 1n] })).result,
      };
    };
    expect(await results(verified)).toEqual(await results(plain));
  });

  test('reports a wrong witness, without a second request', async () => {
    let calls = 0;
    const lying = clientOver(async (call) => {
      const answer = (await honest(call)) as { witness?: string };
      if (call.method !== 'cairn_call') return answer;
      calls++;
      return { ...answer, witness: answer.witness?.replace(/.$/, (digit) => (digit === '1' ? '2' : '1')) };
    });
    const error = await lying
      .readContract(read)
      .catch((thrown: { walk: (test: (each: unknown) => boolean) => unknown }) => thrown);
    expect(
      (error as { walk: (test: (each: unknown) => boolean) => unknown }).walk(
        (each) => (each as Error).name === 'VerifyError',
      ),
    ).toBeTruthy();
    expect(calls).toBe(1);
  });
});
