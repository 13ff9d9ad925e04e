import { type Header, type Hex, headerToJson, makeHeader } from '@cairn/block-model';
import { expect, test } from '@jest/globals';
import { addressOf, headersTo, TestState, word } from '../test-chain.fixture.ts';
import type { RpcRequest } from './rpc-request.ts';
import { VerifiedHeaders } from './verified-headers.ts';

const historyContract: Hex = '0x0000f90827f1c53a10cb7a02335b175320002935';
const count = 9_000;
const chain = headersTo(count - 1);

/** Block above the chain whose state has the history contract with the hashes of the last 8,191 blocks. */
function headOver(headers: readonly Header[]) {
  const number = headers.length;
  const storage = Object.fromEntries(
    headers.slice(-8191).map((header) => [word(header.number % 8191n), header.hash] as const),
  );
  const state = new TestState({ [historyContract]: { code: '0x00', storage }, [addressOf('aa')]: { balance: 1n } });
  const { hash: _hash, raw: _raw, ...fields } = headers.at(-1) as Header;
  const parentHash = (headers.at(-1) as Header).hash;
  return { state, head: makeHeader({ ...fields, parentHash, number: BigInt(number), stateRoot: state.root }) };
}

const { state, head } = headOver(chain);
const all = [...chain, head];

function gatewayOver(
  headers: readonly Header[],
  lie: (method: string, answer: unknown) => unknown = (_, answer) => answer,
) {
  const byHash = new Map(headers.map((header) => [header.hash, header]));
  const requests: string[] = [];
  const request: RpcRequest = async ({ method, params = [] }) => {
    requests.push(method);
    if (method === 'eth_getProof') return lie(method, state.proofOf(historyContract, params[1] as Hex[]));
    const header = byHash.get(params[0] as Hex);
    return lie(method, header ? headerToJson(header) : null);
  };
  return { headers: new VerifiedHeaders(request, () => ({ hash: head.hash })), requests };
}

test('an old block is proven by the history contract, with three requests', async () => {
  const { headers, requests } = gatewayOver(all);
  expect((await headers.resolve('0x400')).hash).toBe(chain[0x400]?.hash);
  expect(requests).toEqual(['eth_getBlockByHash', 'eth_getProof', 'eth_getBlockByHash']);
});

test('near blocks are proven by parent links', async () => {
  const { headers, requests } = gatewayOver(all);
  expect((await headers.resolve(`0x${(count - 2).toString(16)}`)).hash).toBe(chain[count - 2]?.hash);
  expect(requests).not.toContain('eth_getProof');
});

test('a block beyond the history of its ancestors is refused', async () => {
  // The ancestor 8,191 blocks below the head has a state without the contract.
  const { headers } = gatewayOver(all);
  await expect(headers.resolve('0x1')).rejects.toMatchObject({ name: expect.stringMatching(/Error$/) });
});

test.each<[string, string, (method: string, answer: unknown) => unknown]>([
  [
    'another slot',
    'PROOF_INVALID',
    (method, answer) => (method === 'eth_getProof' ? state.proofOf(historyContract, [word(5)]) : answer),
  ],
  [
    'another header',
    'BLOCK_UNTRUSTED',
    (method, answer) =>
      method === 'eth_getBlockByHash' && (answer as { number: Hex }).number === '0x400'
        ? headerToJson(chain[1] as Header)
        : answer,
  ],
])('a gateway that returns %s is refused', async (_, code, lie) => {
  await expect(gatewayOver(all, lie).headers.resolve('0x400')).rejects.toMatchObject({ code });
});

test('blocks above the head, the pending block and unnamed tags are refused', async () => {
  const { headers } = gatewayOver(all);
  await expect(headers.resolve('0x10000')).rejects.toMatchObject({ code: -32000 });
  for (const tag of ['pending', 'safe', 'finalized'])
    await expect(headers.resolve(tag)).rejects.toMatchObject({ code: 4200 });
  await expect(headers.resolve('nonsense')).rejects.toMatchObject({ code: -32602 });
});

test('null is the latest block', async () => {
  const { headers } = gatewayOver(all);
  expect((await headers.resolve(null)).hash).toBe(head.hash);
  expect((await headers.resolve({ blockHash: head.hash, blockNumber: null })).hash).toBe(head.hash);
});

test.each([[{}], [{ blockhash: head.hash }], [{ blockHash: head.hash, blockNumber: '0x1' }]])(
  'the block %j is refused, since it names not exactly one block',
  async (id) => {
    await expect(gatewayOver(all).headers.resolve(id)).rejects.toMatchObject({ code: -32602 });
  },
);

test('a block of another branch is not canonical', async () => {
  const { hash: _hash, raw: _raw, ...fields } = chain[0x400] as Header;
  const sibling = makeHeader({ ...fields, gasUsed: 1n });
  const { headers } = gatewayOver([...all, sibling]);
  await expect(headers.resolve({ blockHash: sibling.hash, requireCanonical: true })).rejects.toMatchObject({
    code: 'BLOCK_UNTRUSTED',
  });
});
