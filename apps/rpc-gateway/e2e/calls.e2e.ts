import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { encodeFunctionData, parseUnits } from 'viem';
import { call, type Gateway, startGateway } from './gateway.ts';
import { sample, sampleEntry } from './sample-network.ts';

const { Token, Reverts, Loops } = sample.contracts;
const from = sample.accounts.alice;
const dataOf = ({ abi }: { readonly abi: typeof Token.abi }, functionName: string, args: readonly unknown[] = []) =>
  encodeFunctionData({ abi, functionName, args: [...args] });
const revertsCall = (name: string, args: readonly unknown[] = []) => ({
  from,
  to: Reverts.address,
  data: dataOf(Reverts, name, args),
});

describe('eth_call', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway?.stop());

  test('without `from` is refused, with both ways out', async () => {
    const data = dataOf(Token, 'balanceOf', [from]);
    const { error } = await call(gateway.url, 'eth_call', [{ to: Token.address, data }, 'latest']);
    expect(error?.code).toBe(-32602);
    expect(error?.message).toContain('call.from');
    expect(error?.message).toContain('Give an account to your client');
    expect(error?.message).toContain('"requireFrom": false');
  });

  const panic = (code: string) => `0x4e487b71${code.padStart(64, '0')}`;
  test.each([
    ['withReason', [], 'execution reverted: the reason', /^0x08c379a0/],
    ['inNestedCall', [], 'execution reverted: the reason', /^0x08c379a0/],
    ['withoutReason', [], 'execution reverted', /^0x$/],
    ['withCustomError', [], 'execution reverted', /2a.*64657461696c73/],
    ['withRawData', [], 'execution reverted', /^0xdeadbeef$/],
    ['byAssert', [], 'execution reverted: assert(false)', panic('1')],
    ['byOverflow', [1n], 'execution reverted: arithmetic underflow or overflow', panic('11')],
    ['byDivision', [0n], 'execution reverted: division or modulo by zero', panic('12')],
    ['byConversion', [2n], 'execution reverted: enum overflow', panic('21')],
    ['byPop', [], 'execution reverted: out-of-bounds array access; popping on an empty array', panic('31')],
    ['byIndex', [0n], 'execution reverted: out-of-bounds access of an array or bytesN', panic('32')],
    ['byAllocation', [2n ** 64n], 'execution reverted: out of memory', panic('41')],
  ])('%s reverts with code 3, message and data', async (name, args, message, data) => {
    const { error } = await call(gateway.url, 'eth_call', [revertsCall(name, args), 'latest']);
    expect(error).toMatchObject({ code: 3, message });
    if (typeof data === 'string') expect(error?.data).toBe(data);
    else expect(error?.data).toMatch(data);
  });

  test('an invalid opcode is an error, no revert', async () => {
    const { error } = await call(gateway.url, 'eth_call', [revertsCall('byInvalidOpcode'), 'latest']);
    expect(error).toEqual({ code: -32000, message: expect.stringContaining('invalid opcode') });
  });

  test('gas above 10 times the gas limit of the block is capped there', async () => {
    const gasLeft = { [Loops.address]: { code: '0x5a5f5260205ff3' } };
    const block = (await call(gateway.url, 'eth_getBlockByNumber', ['latest', false])).result as { gasLimit: string };
    const cap = 10 * Number(block.gasLimit);
    const left = async (gas: number) =>
      Number(
        (
          await call(gateway.url, 'eth_call', [
            { from, to: Loops.address, gas: `0x${gas.toString(16)}` },
            'latest',
            gasLeft,
          ])
        ).result,
      );
    const overhead = 100_000 - (await left(100_000));
    expect(await left(cap)).toBe(cap - overhead);
    expect(await left(cap + 1)).toBe(cap - overhead);
    expect(await left(Number.MAX_SAFE_INTEGER)).toBe(cap - overhead);
  });

  test('the state of the block asked for is the state seen', async () => {
    const balance = { from, to: Token.address, data: dataOf(Token, 'balanceOf', [from]) };
    const at = async (block: unknown) => (await call(gateway.url, 'eth_call', [balance, block])).result;
    expect(BigInt(String(await at('latest')))).toBe(parseUnits('5006', 18));
    expect(await at({ blockHash: sample.head, requireCanonical: true })).toBe(await at('latest'));
    expect(await at('earliest')).toBe('0x');
    expect((await call(gateway.url, 'eth_call', [balance, '0xffff'])).error).toEqual({
      code: -32000,
      message: 'header not found',
    });
  });
});

describe('limits of eth_call', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    gateway = await startGateway({
      networks: [{ ...sampleEntry, requireFrom: false }],
      env: { CAIRN_CALL_TIMEOUT_MS: '250' },
    });
  });
  afterAll(() => gateway?.stop());

  test('an endless call is ended by the clock while others are answered', async () => {
    const endless = { from, to: Loops.address, gas: '0xffffffffffff' };
    // MULMOD over and over: the dearest that little gas buys.
    const slow = { [Loops.address]: { code: `0x5b${'6007600560030950'.repeat(8)}600056` } };
    const done: string[] = [];
    const ended = call(gateway.url, 'eth_call', [endless, 'latest', slow]).finally(() => done.push('endless'));
    const other = call(gateway.url, 'eth_call', [
      { ...endless, to: Token.address, data: dataOf(Token, 'totalSupply') },
      'latest',
    ]);
    await Promise.all([
      other.finally(() => done.push('call')),
      call(gateway.url, 'eth_blockNumber').finally(() => done.push('number')),
    ]);
    expect((await other).result).toMatch(/^0x/);
    const { error } = await ended;
    expect(error).toMatchObject({ code: -32000, message: expect.stringContaining('longer than 250 ms') });
    expect(done.at(-1)).toBe('endless');
  });

  test('requireFrom: false lets a call have no caller', async () => {
    const data = dataOf(Token, 'totalSupply');
    expect((await call(gateway.url, 'eth_call', [{ to: Token.address, data }, 'latest'])).result).toMatch(/^0x0/);
  });
});
