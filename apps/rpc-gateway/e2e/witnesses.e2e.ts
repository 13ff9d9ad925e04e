import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { bytesFromHex, type Hex, parseGethGenesis } from '@cairn/block-model';
import { verifyCall, verifyLogs } from '@cairn/verify';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { call, type Gateway, startGateway } from './gateway.ts';
import { sample, sampleEntry } from './sample-network.ts';

const { Token, Reverts, Loops } = sample.contracts;
const { alice } = sample.accounts;
const { spec: chain } = parseGethGenesis('sample', JSON.parse(readFileSync(sampleEntry.genesis, 'utf8')));
const blockHash = sample.head;
const balanceOf = { from: alice, to: Token.address, data: `0x70a08231${alice.slice(2).padStart(64, '0')}` };

let gateway: Gateway;
beforeAll(async () => {
  gateway = await startGateway();
});
afterAll(() => gateway?.stop());

interface CallAnswer {
  readonly blockHash: Hex;
  readonly result?: Hex;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: Hex };
  readonly gasUsed: Hex;
  readonly witness: Hex;
}
const ask = async <T>(method: string, ...params: readonly unknown[]) =>
  (await call(gateway.url, method, params)).result as T;
const proven = (...params: readonly unknown[]) => ask<CallAnswer>('cairn_call', ...params);

describe('cairn_call', () => {
  test('returns the result of eth_call with a witness that verifies', async () => {
    const answer = await proven(balanceOf, 'latest');
    expect(answer).toMatchObject({ blockHash, result: await ask('eth_call', balanceOf, 'latest') });
    const { result, header } = await verifyCall(answer.witness, { blockHash, chain, message: { call: balanceOf } });
    expect(result).toMatchObject({ kind: 'success', output: answer.result, gasUsed: BigInt(answer.gasUsed) });
    expect(header.number).toBe(24n);
  });

  test('has a witness of less than 10 KiB with gzip for balanceOf, the same each time', async () => {
    const [first, second] = [await proven(balanceOf), await proven(balanceOf, blockHash)];
    expect(second).toEqual(first);
    const bytes = bytesFromHex(first.witness);
    console.log(`balanceOf: ${bytes.length} bytes, ${gzipSync(bytes).length} with gzip`);
    expect(gzipSync(bytes).length).toBeLessThan(10 * 1024);
  });

  test('proves reverts, halts and refusals, whose errors are those of eth_call', async () => {
    const calls = [
      { from: alice, to: Reverts.address, data: '0x' },
      { from: alice, to: Loops.address, gas: '0x5300' },
      { from: alice, to: Token.address, value: `0x1${'0'.repeat(40)}` },
    ];
    const kinds: string[] = [];
    for (const message of calls) {
      const answer = await proven(message);
      const { error } = await call(gateway.url, 'eth_call', [message]);
      expect(error?.code).toBe(answer.error?.code);
      expect(error?.message).toContain(answer.error?.message);
      kinds.push((await verifyCall(answer.witness, { blockHash, chain, message: { call: message } })).result.kind);
    }
    expect(kinds[2]).toBe('refusal');
  });

  test('proves calls with overrides, creations, and calls on every block', async () => {
    const stateOverrides = { [Token.address]: { code: '0x435f5260205ff3' } };
    const overridden = await proven(balanceOf, 'latest', stateOverrides, { number: '0x4d2' });
    const message = { call: balanceOf, stateOverrides, blockOverrides: { number: '0x4d2' } };
    expect((await verifyCall(overridden.witness, { blockHash, chain, message })).result).toMatchObject({
      output: `0x${(1234).toString(16).padStart(64, '0')}`,
    });
    for (let number = 0; number <= 24; number++) {
      const answer = await proven({ from: alice, data: '0x3160005260206000f3' }, `0x${number.toString(16)}`);
      const { result } = await verifyCall(answer.witness, { blockHash: answer.blockHash, chain });
      expect({ number, output: 'output' in result ? result.output : undefined }).toEqual({
        number,
        output: answer.result,
      });
    }
  });

  test('proves hashes of ancestors', async () => {
    // Returns the hash of block 3.
    const answer = await proven({ from: alice, data: '0x6003405f5260205ff3' });
    const third = await ask<{ hash: Hex }>('eth_getBlockByNumber', '0x3', false);
    expect((await verifyCall(answer.witness, { blockHash, chain })).result).toMatchObject({ output: third.hash });
  });

  test('refuses the pending block', async () => {
    expect((await call(gateway.url, 'cairn_call', [balanceOf, 'pending'])).error?.code).toBe(-32602);
  });
});

describe('cairn_getLogs', () => {
  interface LogsAnswer {
    readonly blockHash: Hex;
    readonly logs: readonly unknown[];
    readonly witness: Hex;
  }
  const range = { from: 0n, to: 24n };
  const ofRange = { fromBlock: '0x0', toBlock: '0x18' };

  test.each([
    ['all logs', {}, {}],
    ['logs of a contract', { address: Token.address }, { addresses: [Token.address.toLowerCase() as Hex] }],
    ['no logs', { address: alice }, { addresses: [alice.toLowerCase() as Hex] }],
  ])('returns %s with a witness that verifies', async (_, filter, query) => {
    const answer = await ask<LogsAnswer>('cairn_getLogs', { ...ofRange, ...filter });
    expect(answer.logs).toEqual(await ask('eth_getLogs', { ...ofRange, ...filter }));
    expect(verifyLogs(answer.witness, { blockHash, query, ...range, chain })).toEqual(answer.logs);
  });

  test('refuses more blocks than its limit', async () => {
    const { error } = await call(gateway.url, 'cairn_getLogs', [{ fromBlock: '0x0', toBlock: '0x7d1' }]);
    expect(error?.message).toMatch(/beyond current head|maximum block range/);
  });
});
