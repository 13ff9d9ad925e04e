import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Contract, JsonRpcProvider, WebSocketProvider } from 'ethers';
import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  encodeFunctionData,
  http,
  type PublicClient,
  parseAbiItem,
  parseUnits,
  webSocket,
} from 'viem';
import { Web3 } from 'web3';
import { type Gateway, startGateway } from './gateway.ts';
import { sample } from './sample-network.ts';

const { Token, Reverts } = sample.contracts;
const { alice } = sample.accounts;
const aliceTokens = parseUnits('5006', 18);

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.stop());

/** One client, with a function that closes its connection. */
const viemClients = {
  http: () => ({ client: createPublicClient({ transport: http(gateway.url) }), close: async () => {} }),
  webSocket: () => {
    const client = createPublicClient({ transport: webSocket(gateway.webSocketUrl, { reconnect: false }) });
    return { client, close: async () => (await client.transport.getRpcClient()).close() };
  },
} as const;

describe.each(['http', 'webSocket'] as const)('viem over %s', (kind) => {
  const withClient = async (use: (client: PublicClient) => Promise<void>) => {
    const { client, close } = viemClients[kind]();
    try {
      await use(client);
    } finally {
      await close();
    }
  };

  test('reads blocks, executes calls and decodes reverts', async () => {
    await withClient(async (client) => {
      expect(await client.getChainId()).toBe(sample.chainId);
      const block = await client.getBlock({ blockHash: sample.head, includeTransactions: true });
      expect(block).toMatchObject({ hash: sample.head, number: 24n });
      const read = { address: Token.address, abi: Token.abi, functionName: 'balanceOf', args: [alice] };
      expect(await client.readContract({ ...read, account: alice })).toBe(aliceTokens);
      expect(await client.readContract({ ...read, account: alice, blockNumber: block.number ?? 0n })).toBe(aliceTokens);
      expect(await revertedIn(client, 'withReason')).toMatchObject({ reason: 'the reason' });
      expect((await revertedIn(client, 'withCustomError')).data).toMatchObject({
        errorName: 'Custom',
        args: [42n, 'details'],
      });
    });
  });
});

describe('further methods', () => {
  const transfer = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)');

  test('viem reads logs, receipts, proofs, estimates, access lists, simulations and traces', async () => {
    const client = createPublicClient({ transport: http(gateway.url) });
    const logs = await client.getLogs({ address: Token.address, event: transfer, fromBlock: 0n, toBlock: 'latest' });
    expect(logs.length).toBeGreaterThan(0);
    const [log] = logs;
    if (log === undefined) throw new Error('The block has no log.');
    const receipt = await client.getTransactionReceipt({ hash: log.transactionHash });
    expect(receipt).toMatchObject({ status: 'success', blockHash: log.blockHash });
    expect(await client.getLogs({ address: alice, fromBlock: 0n })).toEqual([]);

    const [balance, nonce, code] = await Promise.all([
      client.getBalance({ address: alice }),
      client.getTransactionCount({ address: alice }),
      client.getCode({ address: Token.address }),
    ]);
    const proof = await client.getProof({ address: alice, storageKeys: [`0x${'00'.repeat(32)}`] });
    expect([proof.balance, BigInt(proof.nonce)]).toEqual([balance, BigInt(nonce)]);
    expect(code?.length).toBeGreaterThan(100);

    const call = { address: Token.address, abi: Token.abi, functionName: 'transfer', args: [sample.accounts.bob, 1n] };
    const gas = await client.estimateContractGas({ ...call, account: alice });
    expect(gas).toBeGreaterThan(21_000n);
    const data = encodeFunctionData(call);
    const { accessList } = await client.createAccessList({ account: alice, to: Token.address, data });
    expect(accessList[0]?.storageKeys.length).toBe(2);
    const [block] = await client.simulateBlocks({
      blocks: [
        {
          calls: [
            { account: alice, to: Token.address, data },
            { account: alice, to: Token.address, data },
          ],
        },
      ],
    });
    expect(block?.calls.map(({ status, logs: made }) => [status, made?.length])).toEqual([
      ['success', 1],
      ['success', 1],
    ]);
    const tokens = { address: Token.address, abi: Token.abi, functionName: 'balanceOf', args: [alice] } as const;
    expect(await client.multicall({ contracts: [tokens, tokens], deployless: true, account: alice } as never)).toEqual([
      { result: aliceTokens, status: 'success' },
      { result: aliceTokens, status: 'success' },
    ]);
    expect((await client.getFeeHistory({ blockCount: 4, rewardPercentiles: [50] })).gasUsedRatio).toHaveLength(4);
    type Raw = (request: { method: string; params: unknown[] }) => Promise<unknown>;
    const trace = await (client.request as unknown as Raw)({
      method: 'debug_traceTransaction',
      params: [log.transactionHash, { tracer: 'callTracer', tracerConfig: { withLog: true } }],
    });
    // The first log is from the deployment.
    expect(trace).toMatchObject({ type: 'CREATE', to: Token.address, gasUsed: `0x${receipt.gasUsed.toString(16)}` });
  });

  test('ethers reads events, fees, estimates and receipts', async () => {
    const provider = new JsonRpcProvider(gateway.url);
    try {
      const token = new Contract(Token.address, JSON.stringify(Token.abi), provider);
      const [event] = await token.queryFilter('Transfer', 0, 'latest');
      const receipt = await provider.getTransactionReceipt(event?.transactionHash ?? '');
      expect(receipt).toMatchObject({ status: 1, blockHash: event?.blockHash });
      expect((await provider.getTransaction(event?.transactionHash ?? ''))?.blockHash).toBe(event?.blockHash);
      expect((await provider.getFeeData()).maxFeePerGas).toBeGreaterThan(0n);
      expect(await token.getFunction('transfer').estimateGas(sample.accounts.bob, 1n, { from: alice })).toBeGreaterThan(
        21_000n,
      );
      expect(await provider.getStorage(Token.address, 0)).toMatch(/^0x[0-9a-f]{64}$/);
    } finally {
      provider.destroy();
    }
  });

  test('web3.js reads past events, estimates and proofs', async () => {
    const web3 = new Web3(gateway.url);
    const contract = new web3.eth.Contract([...Token.abi] as never, Token.address);
    expect((await contract.getPastEvents('Transfer' as never, { fromBlock: 0 })).length).toBeGreaterThan(0);
    const estimate = contract.methods.transfer?.(sample.accounts.bob, 1n).estimateGas({ from: alice });
    expect(await estimate).toBeGreaterThan(21_000n);
    expect((await web3.eth.getProof(alice, [], 'latest')).balance).toBe(await web3.eth.getBalance(alice));
  });
});

async function revertedIn(client: PublicClient, functionName: string): Promise<ContractFunctionRevertedError> {
  try {
    await client.readContract({ address: Reverts.address, abi: Reverts.abi, functionName, account: alice });
  } catch (error) {
    const found = error instanceof BaseError && error.walk((one) => one instanceof ContractFunctionRevertedError);
    if (found instanceof ContractFunctionRevertedError) return found;
    throw error;
  }
  throw new Error(`${functionName} did not revert.`);
}

describe('ethers', () => {
  const token = (provider: JsonRpcProvider | WebSocketProvider) =>
    new Contract(Token.address, JSON.stringify(Token.abi), provider);
  const balance = (provider: JsonRpcProvider | WebSocketProvider) =>
    token(provider).getFunction('balanceOf').staticCall(alice, { from: alice });

  test('a batching provider reads blocks and calls', async () => {
    const provider = new JsonRpcProvider(gateway.url, undefined, { batchMaxCount: 10 });
    try {
      const [block, number, tokens] = await Promise.all([
        provider.getBlock(sample.head),
        provider.getBlockNumber(),
        balance(provider),
      ]);
      expect([block?.hash, number, tokens]).toEqual([sample.head, 24, aliceTokens]);
      await expect(
        new Contract(Reverts.address, JSON.stringify(Reverts.abi), provider)
          .getFunction('withCustomError')
          .staticCall({ from: alice }),
      ).rejects.toMatchObject({ code: 'CALL_EXCEPTION', revert: { name: 'Custom' } });
    } finally {
      provider.destroy();
    }
  });

  test.each(['http', 'webSocket'] as const)(
    'on("pending") over %s reports nothing and rejects nothing',
    async (kind) => {
      const provider = kind === 'http' ? new JsonRpcProvider(gateway.url) : new WebSocketProvider(gateway.webSocketUrl);
      const events: unknown[] = [];
      const onRejection = (reason: unknown) => events.push(reason);
      process.on('unhandledRejection', onRejection);
      try {
        await provider.on('pending', (hash) => events.push(hash));
        expect(await provider.getBlockNumber()).toBe(24);
        await provider.off('pending');
        // ethers ends the subscription asynchronously after the listener is removed.
        for (let count = 0; count < 3; count++) await provider.send('eth_chainId', []);
        expect(events).toEqual([]);
      } finally {
        await provider.destroy();
        process.off('unhandledRejection', onRejection);
      }
    },
  );

  test('a WebSocket provider reads blocks and calls', async () => {
    const provider = new WebSocketProvider(gateway.webSocketUrl);
    try {
      expect((await provider.getBlock(sample.head))?.number).toBe(24);
      expect(await balance(provider)).toBe(aliceTokens);
    } finally {
      await provider.destroy();
    }
  });
});

test('web3.js reads blocks and executes calls', async () => {
  const web3 = new Web3(gateway.url);
  expect((await web3.eth.getBlock(sample.head)).number).toBe(24n);
  const contract = new web3.eth.Contract([...Token.abi] as never, Token.address);
  expect(await contract.methods.balanceOf?.(alice).call({ from: alice })).toBe(aliceTokens);
});
