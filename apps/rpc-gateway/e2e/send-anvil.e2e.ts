import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { parseEther as etherOf, JsonRpcProvider, Wallet } from 'ethers';
import { createPublicClient, createWalletClient, type Hex, http, parseEther } from 'viem';
import { Web3 } from 'web3';
import { WebSocket } from 'ws';
import { type AnvilNetwork, account, chain, privateKey, startAnvilNetwork } from './anvil-network.ts';
import { call, type Gateway, key, until } from './gateway.ts';

// Transactions that anvil mines, sent through the gateway.
const to: Hex = `0x${'11'.repeat(20)}`;
let network: AnvilNetwork;
let anvil: AnvilNetwork['anvil'];
let gateway: Gateway;

beforeAll(async () => {
  network = await startAnvilNetwork();
  ({ anvil, gateway } = network);
});
afterAll(() => network?.stop());

const anvilReceipt = async (hash: string) => (await call(anvil.url, 'eth_getTransactionReceipt', [hash])).result;

describe('a transaction that anvil mines', () => {
  test('viem sends it and waits for its receipt', async () => {
    const transport = http(gateway.url);
    const wallet = createWalletClient({ account, chain, transport });
    const hash = await wallet.sendTransaction({ to, value: parseEther('1') });
    const receipt = await createPublicClient({ chain, transport, pollingInterval: 100 }).waitForTransactionReceipt({
      hash,
    });
    expect(receipt).toMatchObject({ status: 'success', transactionHash: hash });
    expect(await anvilReceipt(hash)).toMatchObject({ blockHash: receipt.blockHash });
  });

  test('ethers sends it and waits for its receipt', async () => {
    const provider = new JsonRpcProvider(gateway.url, undefined, { polling: true, pollingInterval: 100 });
    try {
      const sent = await new Wallet(privateKey, provider).sendTransaction({ to, value: etherOf('1') });
      const receipt = await sent.wait(1, 20_000);
      expect(receipt).toMatchObject({ status: 1, hash: sent.hash });
    } finally {
      provider.destroy();
    }
  });

  test('web3.js sends it and waits for its receipt', async () => {
    const web3 = new Web3(gateway.url);
    const nonce = await web3.eth.getTransactionCount(account.address);
    const { baseFeePerGas = 10n ** 9n } = await web3.eth.getBlock('latest');
    const fees = { maxFeePerGas: baseFeePerGas * 2n, maxPriorityFeePerGas: 1n };
    const fields = { to, value: 1n, gas: 21_000n, nonce, chainId: 1337n, type: 2n, ...fees };
    const { rawTransaction } = await web3.eth.accounts.signTransaction(fields, privateKey);
    const receipt = await web3.eth.sendSignedTransaction(rawTransaction);
    expect(receipt.status).toBe(1n);
  });
});

/** Signs a transfer with the next nonce, or with a given one. */
async function transfer(nonce?: number): Promise<Hex> {
  const next = Number((await call(gateway.url, 'eth_getTransactionCount', [account.address, 'latest'])).result);
  return account.signTransaction({
    to,
    value: 1n,
    gas: 21_000n,
    maxFeePerGas: 10n ** 10n,
    maxPriorityFeePerGas: 1n,
    nonce: nonce ?? next,
    chainId: 1337,
  });
}

test('eth_sendRawTransactionSync returns the verified receipt, and code 4 with the hash after its time limit', async () => {
  const raw = await transfer();
  const { result, error } = await call(gateway.url, 'eth_sendRawTransactionSync', [raw]);
  expect(error).toBeUndefined();
  expect(result).toMatchObject({ status: '0x1', from: account.address.toLowerCase() });
  // Sent again, it is still the same transaction.
  const again = await call(gateway.url, 'eth_sendRawTransaction', [raw]);
  expect(again.result).toBe((result as { transactionHash: string }).transactionHash);
  await call(anvil.url, 'anvil_setAutomine', [false]);
  const late = await call(gateway.url, 'eth_sendRawTransactionSync', [await transfer(), 300]);
  expect(late.error).toMatchObject({ code: 4, data: expect.stringMatching(/^0x[0-9a-f]{64}$/) });
  const pending = await call(gateway.url, 'eth_getTransactionByHash', [late.error?.data]);
  expect(pending.result).toMatchObject({ hash: late.error?.data, blockHash: null });
  await call(anvil.url, 'anvil_mine', []);
  await call(anvil.url, 'anvil_setAutomine', [true]);
  const nonceAt = async (url: string) =>
    (await call(url, 'eth_getTransactionCount', [account.address, 'latest'])).result;
  await until(async () => (await nonceAt(gateway.url)) === (await nonceAt(anvil.url)), 'the mined block');
});

test('pending transactions that are sent here or to the upstream are reported', async () => {
  await call(anvil.url, 'anvil_setAutomine', [false]);
  const filter = (await call(gateway.url, 'eth_newPendingTransactionFilter', [true])).result;
  const socket = new WebSocket(gateway.webSocketUrl);
  await new Promise((resolve) => socket.once('open', resolve));
  const seen: string[] = [];
  let isSubscribed = false;
  socket.on('message', (data) => {
    const { id, method, params } = JSON.parse(String(data));
    if (method === 'eth_subscription') seen.push(params.result);
    isSubscribed ||= id === 1;
  });
  socket.send(JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'eth_subscribe', params: ['newPendingTransactions'] }));
  await until(async () => isSubscribed, 'the answer with the subscription id');
  const own = (await call(gateway.url, 'eth_sendRawTransaction', [await transfer()])).result;
  await until(async () => seen.includes(String(own)), 'the sent transaction');
  // The feed of the upstream starts within a poll, so transactions are sent until one is reported.
  const next = Number((await call(gateway.url, 'eth_getTransactionCount', [account.address, 'latest'])).result);
  let nonce = next + 1;
  const others = new Set<string>();
  await until(async () => {
    others.add(String((await call(anvil.url, 'eth_sendRawTransaction', [await transfer(nonce++)])).result));
    return seen.some((hash) => others.has(hash));
  }, 'a transaction of the upstream');
  socket.close();
  const found: { hash: string; blockHash: unknown }[] = [];
  await until(async () => {
    found.push(...((await call(gateway.url, 'eth_getFilterChanges', [filter])).result as typeof found));
    return found.some(({ hash }) => others.has(hash));
  }, 'the object of a transaction of the upstream');
  expect(found).toContainEqual(expect.objectContaining({ hash: own, blockHash: null }));
  await call(anvil.url, 'anvil_mine', []);
  await call(anvil.url, 'anvil_setAutomine', [true]);
});

test('refusals name the rule, and a key without the scope is refused', async () => {
  const low = await call(gateway.url, 'eth_sendRawTransaction', [await transfer(0)]);
  expect(low.error).toMatchObject({
    code: -32000,
    message: expect.stringMatching(/^nonce too low: next nonce \d, tx nonce 0/),
  });
  const other = await account.signTransaction({ to, gas: 21_000n, maxFeePerGas: 1n, nonce: 0, chainId: 5 });
  const wrong = await call(gateway.url, 'eth_sendRawTransaction', [other]);
  expect(wrong.error).toMatchObject({
    code: -32000,
    message: expect.stringContaining('invalid sender: invalid chain id for signer: have 5 want 1337'),
  });
  const refused = await call(gateway.url.replace(key, 'reader'), 'eth_sendRawTransaction', [await transfer()]);
  expect(refused.error).toMatchObject({ code: -32004, message: expect.stringContaining('"send"') });
  expect(refused.error?.message).toContain('cairn key limit --grants send');
});
