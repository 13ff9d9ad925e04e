import { readFileSync, writeFileSync } from 'node:fs';
import { type ChainSpec, type Hex, hexFromBytes } from '@cairn/block-model';
import { describe, expect, test } from '@jest/globals';
import { addressOf, balanceOf, holder, TestChain, testAccounts, testSpec, word } from './test-chain.fixture.ts';
import { verifyCall } from './verify-call.ts';
import type { CallMessageJson } from './witness/call-message.ts';

/** Witnesses for other implementations, and for the tests in a browser. `UPDATE_VECTORS=1 npm test -- vectors` writes them. */
const file = new URL('../vectors/call-witnesses.json', import.meta.url);

interface Vectors {
  readonly spec: ChainSpec;
  readonly blockHash: Hex;
  readonly calls: readonly {
    readonly name: string;
    readonly message: CallMessageJson;
    readonly witness: Hex;
    readonly result: object;
  }[];
}

const chain = new TestChain(testAccounts);
const messages: Readonly<Record<string, CallMessageJson>> = {
  'balance of a token': balanceOf,
  'hash of an ancestor': { call: { to: addressOf('c1'), data: word(4) } },
  revert: { call: { to: addressOf('c2'), data: '0xdeadbeef' } },
  'out of gas': { call: { to: addressOf('c4'), gas: '0x186a0' } },
  'funds below the value': { call: { from: holder, to: holder, value: '0xffffffffffffffffffff' } },
  'pairing of no points': { call: { to: '0x0000000000000000000000000000000000000008', data: '0x' } },
};
const withoutBigints = (result: object) =>
  JSON.parse(JSON.stringify(result, (_, each) => (typeof each === 'bigint' ? String(each) : each)));

if (process.env.UPDATE_VECTORS === '1') {
  const calls: Vectors['calls'][number][] = [];
  for (const [name, message] of Object.entries(messages)) {
    const witness = hexFromBytes(await chain.witnessOf(message));
    calls.push({ name, message, witness, result: withoutBigints((await chain.partsOf(message)).result) });
  }
  writeFileSync(file, `${JSON.stringify({ spec: testSpec, blockHash: chain.head.hash, calls }, null, 2)}\n`);
}

const { spec, blockHash, calls }: Vectors = JSON.parse(readFileSync(file, 'utf8'));

describe('call-witnesses.json', () => {
  test.each(calls)('$name verifies and is what this version encodes', async ({ message, witness, result }) => {
    expect(withoutBigints((await verifyCall(witness, { blockHash, chain: spec, message })).result)).toEqual(result);
    expect(hexFromBytes(await chain.witnessOf(message))).toBe(witness);
  });

  test('covers every call', () => expect(calls.map(({ name }) => name)).toEqual(Object.keys(messages)));
});
