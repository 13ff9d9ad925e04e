import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { Contract, JsonRpcProvider, WebSocketProvider } from 'ethers';
import {
  BaseError,
  ContractFunctionRevertedError,
  createPublicClient,
  http,
  type PublicClient,
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

/** One client, and how its connection is closed. */
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

  test('blocks, calls and reverts', async () => {
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

async function revertedIn(client: PublicClient, functionName: string): Promise<ContractFunctionRevertedError> {
  try {
    await client.readContract({ address: Reverts.address, abi: Reverts.abi, functionName, account: alice });
  } catch (error) {
    const found = error instanceof BaseError && error.walk((one) => one instanceof ContractFunctionRevertedError);
    if (found instanceof ContractFunctionRevertedError) return found;
    throw error;
  }
  throw new Error(`${functionName} did not revert`);
}

describe('ethers', () => {
  const token = (provider: JsonRpcProvider | WebSocketProvider) =>
    new Contract(Token.address, JSON.stringify(Token.abi), provider);
  const balance = (provider: JsonRpcProvider | WebSocketProvider) =>
    token(provider).getFunction('balanceOf').staticCall(alice, { from: alice });

  test('a provider that batches', async () => {
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

  test('a provider over WebSocket', async () => {
    const provider = new WebSocketProvider(gateway.webSocketUrl);
    try {
      expect((await provider.getBlock(sample.head))?.number).toBe(24);
      expect(await balance(provider)).toBe(aliceTokens);
    } finally {
      await provider.destroy();
    }
  });
});

test('web3.js: blocks and calls', async () => {
  const web3 = new Web3(gateway.url);
  expect((await web3.eth.getBlock(sample.head)).number).toBe(24n);
  const contract = new web3.eth.Contract([...Token.abi] as never, Token.address);
  expect(await contract.methods.balanceOf?.(alice).call({ from: alice })).toBe(aliceTokens);
});
