import { type Header, type Hex, headerToJson, hexFromBytes, keccak256 } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import { headersTo } from '../test-chain.fixture.ts';
import { createVerifyingProvider } from './create-provider.ts';
import { verifiedMethods } from './methods.ts';
import { paramCounts } from './params.ts';

const [head] = headersTo(0) as [Header];
const address = `0x${'00'.repeat(20)}`;
const hash = `0x${'00'.repeat(32)}`;

function provider() {
  const sent: unknown[] = [];
  const { request } = createVerifyingProvider({
    gateway: async ({ method, params }) => {
      sent.push([method, params]);
      return method === 'eth_getBlockByHash' ? headerToJson(head) : null;
    },
    trustedHead: () => ({ hash: head.hash }),
  });
  return { request: (method: string, params: unknown) => request({ method, params: params as unknown[] }), sent };
}

// Answers of geth 1.17.5 --dev.
test.each([
  ['eth_getBlockByNumber', ['0x00', false], 'expected a number'],
  ['eth_getBlockByNumber', ['0x0'], 'missing value for required argument 1'],
  ['eth_getBlockByNumber', ['0x0', 'x'], 'expected true or false'],
  ['eth_getBlockByNumber', ['0x0', false, 1], 'too many arguments, want at most 2'],
  ['eth_getBlockByHash', [hash], 'missing value for required argument 1'],
  ['eth_getBlockByNumber', {}, 'non-array args'],
  ['eth_chainId', [null], 'too many arguments, want at most 0'],
  ['eth_blockNumber', [1], 'too many arguments, want at most 0'],
  ['eth_call', [], 'missing value for required argument 0'],
  ['eth_call', [{ to: address }, 'latest', {}, {}, 1], 'too many arguments, want at most 4'],
  ['eth_getBalance', [address, '0x00'], 'expected a number'],
  ['eth_getBalance', [address, 'latest', 1], 'too many arguments, want at most 2'],
  ['eth_getStorageAt', [address], 'missing value for required argument 1'],
  ['eth_getStorageAt', [address, `${hash}00`, 'latest'], 'expected a slot'],
  ['eth_getLogs', [], 'missing value for required argument 0'],
  ['eth_getLogs', [{ fromBlock: '0x00' }], 'expected a number'],
  ['eth_getLogs', [{ toBlock: '0x00' }], 'expected a number'],
  ['eth_getTransactionByBlockNumberAndIndex', ['0x0'], 'missing value for required argument 1'],
  ['eth_getTransactionByBlockNumberAndIndex', ['0x0', '0x01'], 'expected a number'],
  ['eth_sendRawTransaction', [], 'missing value for required argument 0'],
  ['eth_sendRawTransaction', ['0x', 1], 'too many arguments, want at most 1'],
])('%s with %j is refused with code -32602, as in geth', async (method, params, message) => {
  const { request, sent } = provider();
  await expect(request(method, params)).rejects.toMatchObject({
    code: -32602,
    message: expect.stringContaining(message),
  });
  expect(sent.filter((each) => !JSON.stringify(each).includes(head.hash))).toEqual([]);
});

test('every verified method has numbers of parameters', () => {
  expect(Object.keys(verifiedMethods).sort()).toEqual(Object.keys(paramCounts).sort());
});

test('null or absent parameters are an empty list', async () => {
  const { request } = provider();
  expect([await request('eth_blockNumber', null), await request('eth_chainId', undefined)]).toEqual(['0x0', '0x1']);
});

test.each(['0x0', '0x00', '0x', '01', '0x012'])('a slot may be written as %s, as in geth', async (slot) => {
  const { request, sent } = provider();
  await request('eth_getStorageAt', [address, slot, 'latest']).catch(() => {});
  const padded = `0x${slot.replace('0x', '').padStart(64, '0')}`;
  expect(sent.at(-1)).toEqual(['eth_getProof', [address, [padded], { blockHash: head.hash }]]);
});

test('a sent transaction has the computed hash', async () => {
  const { request, sent } = provider();
  const raw: Hex = '0x02c0';
  expect(await request('eth_sendRawTransaction', [raw])).toBe(hexFromBytes(keccak256(Uint8Array.of(2, 0xc0))));
  expect(sent).toEqual([['eth_sendRawTransaction', [raw]]]);
});
