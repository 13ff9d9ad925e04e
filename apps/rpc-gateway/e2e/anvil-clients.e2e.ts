import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { JsonRpcProvider } from 'ethers';
import { createPublicClient, createWalletClient, type Hex, http, type PublicClient, pad, toHex } from 'viem';
import { Web3 } from 'web3';
import { type Anvil, runCast, startAnvil } from '../../../tools/peers/anvil.mjs';
import { type AnvilNetwork, account, chain, privateKey, startAnvilNetwork } from './anvil-network.ts';
import { call } from './gateway.ts';

// Clients that read a contract on anvil through the gateway.
/** Stores a word of call data and logs it with the topic 42. Returns the stored word when the data is empty. */
const runtime = '36600c575f545f5260205ff35b5f35805f555f52602a60205fa100';
const initCode: Hex = `0x601b8060095f395ff3${runtime}`;
const word = (value: number) => pad(toHex(value), { size: 32 });
const topic = word(42);

let network: AnvilNetwork;
let url: string;
let client: PublicClient;
let contract: Hex;

/** Sends a transaction and waits for its receipt, through the gateway. */
async function send(data: Hex, to?: Hex) {
  const wallet = createWalletClient({ account, chain, transport: http(url) });
  const hash = await wallet.sendTransaction({ data, ...(to && { to }) });
  const receipt = await client.waitForTransactionReceipt({ hash });
  expect(receipt.status).toBe('success');
  return receipt;
}

beforeAll(async () => {
  network = await startAnvilNetwork();
  ({ url } = network.gateway);
  client = createPublicClient({ chain, transport: http(url), pollingInterval: 100 }) as PublicClient;
  contract = (await send(initCode)).contractAddress as Hex;
  for (const value of [5, 6, 7]) await send(word(value), contract);
});
afterAll(() => network?.stop());

test('viem reads the contract, its logs and estimates', async () => {
  expect(await client.getCode({ address: contract })).toBe(`0x${runtime}`);
  expect((await client.call({ to: contract })).data).toBe(word(7));
  expect(await client.getStorageAt({ address: contract, slot: '0x0' })).toBe(word(7));
  const logs = await client.getLogs({ address: contract, fromBlock: 0n });
  expect(logs.map(({ data, topics }) => [data, ...topics])).toEqual([5, 6, 7].map((value) => [word(value), topic]));
  expect(await client.estimateGas({ account, to: contract, data: word(8) })).toBeGreaterThan(21_000n);
  const [log] = logs;
  expect((await client.call({ to: contract, blockNumber: log?.blockNumber ?? 0n })).data).toBe(word(5));
});

test('ethers reads the contract, its logs and estimates', async () => {
  const provider = new JsonRpcProvider(url);
  try {
    expect(await provider.call({ to: contract })).toBe(word(7));
    const logs = await provider.getLogs({ address: contract, topics: [topic], fromBlock: 0 });
    expect(logs.map(({ data }) => data)).toEqual([5, 6, 7].map(word));
    const gas = await provider.estimateGas({ from: account.address, to: contract, data: word(8) });
    expect(gas).toBe(await client.estimateGas({ account, to: contract, data: word(8) }));
    expect((await provider.getBlock('latest', true))?.prefetchedTransactions).toHaveLength(1);
  } finally {
    provider.destroy();
  }
});

test('web3.js reads the contract, its logs and estimates', async () => {
  const web3 = new Web3(url);
  expect(await web3.eth.call({ to: contract })).toBe(word(7));
  const logs = await web3.eth.getPastLogs({ address: contract, fromBlock: 0 });
  expect(logs.map((log) => (typeof log === 'string' ? log : log.data))).toEqual([5, 6, 7].map(word));
  const gas = await web3.eth.estimateGas({ from: account.address, to: contract, data: word(8) });
  expect(gas).toBe(await client.estimateGas({ account, to: contract, data: word(8) }));
});

test('cast reads the contract, its logs and estimates, and sends a transaction that anvil mines', async () => {
  const cast = (command: string, ...args: readonly string[]) => runCast(command, ...args, '--rpc-url', url);
  expect(Number(await cast('block-number'))).toBe(Number(await client.getBlockNumber()));
  expect(BigInt(await cast('balance', account.address))).toBe(await client.getBalance({ address: account.address }));
  expect(await cast('storage', contract, '0')).toBe(word(7));
  expect(await cast('call', contract, '--data', '0x')).toBe(word(7));
  expect(await cast('code', contract)).toBe(`0x${runtime}`);
  const logs = JSON.parse(await cast('logs', '--address', contract, '--from-block', '0', '--json'));
  expect(logs.map(({ data }: { data: string }) => data)).toEqual([5, 6, 7].map(word));
  const receipt = JSON.parse(
    await cast('send', '--private-key', privateKey, '--json', `0x${'11'.repeat(20)}`, '--value', '1'),
  );
  expect(receipt).toMatchObject({ status: '0x1' });
  const { result } = await call(network.anvil.url, 'eth_getTransactionReceipt', [receipt.transactionHash]);
  expect(result).toMatchObject({ blockHash: receipt.blockHash });
});

describe('anvil --fork-url', () => {
  let fork: Anvil;
  const ask = async (at: string, method: string, ...params: readonly unknown[]) =>
    (await call(at, method, params)).result;
  beforeAll(async () => {
    fork = await startAnvil({ forkUrl: url, hardfork: 'prague' });
  });
  afterAll(() => fork?.stop());

  test('reads block, balance, nonce, code, storage, calls and logs from the gateway', async () => {
    const height = await ask(url, 'eth_blockNumber');
    const requests: readonly (readonly [string, ...unknown[]])[] = [
      ['eth_blockNumber'],
      ['eth_chainId'],
      ['eth_getBalance', account.address, 'latest'],
      ['eth_getTransactionCount', account.address, 'latest'],
      ['eth_getCode', contract, 'latest'],
      ['eth_getStorageAt', contract, '0x0', 'latest'],
      ['eth_call', { to: contract }, 'latest'],
      ['eth_call', { to: contract }, '0x4'],
    ];
    for (const request of requests)
      expect([request[0], await ask(fork.url, ...request)]).toEqual([request[0], await ask(url, ...request)]);
    const hashOf = async (at: string) =>
      ((await ask(at, 'eth_getBlockByNumber', height, false)) as { hash: string }).hash;
    expect(await hashOf(fork.url)).toBe(await hashOf(url));
    const logs = (await ask(fork.url, 'eth_getLogs', { address: contract, fromBlock: '0x0' })) as { data: string }[];
    expect(logs.map(({ data }) => data)).toEqual([5, 6, 7].map(word));
  });

  test('mines a transaction on the fork only', async () => {
    const wallet = createWalletClient({ account, chain, transport: http(fork.url) });
    const hash = await wallet.sendTransaction({ to: contract, data: word(9) });
    const forked = createPublicClient({ chain, transport: http(fork.url), pollingInterval: 100 });
    expect(await forked.waitForTransactionReceipt({ hash })).toMatchObject({ status: 'success' });
    expect(await ask(fork.url, 'eth_call', { to: contract }, 'latest')).toBe(word(9));
    expect(await ask(url, 'eth_call', { to: contract }, 'latest')).toBe(word(7));
  });
});
