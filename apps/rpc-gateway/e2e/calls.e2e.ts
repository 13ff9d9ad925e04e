import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { encodeFunctionData, parseUnits } from 'viem';
import { call, type Gateway, key, startGateway, withAuth } from './gateway.ts';
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

  test('without `from` is refused with a message that names each solution', async () => {
    const data = dataOf(Token, 'balanceOf', [from]);
    const { error } = await call(gateway.url, 'eth_call', [{ to: Token.address, data }, 'latest']);
    expect(error?.code).toBe(-32602);
    expect(error?.message).toContain('call.from');
    expect(error?.message).toContain('Give an account to your client');
    expect(error?.message).toContain('"requireFrom": false');
    expect(error?.message).toContain('cairn key limit --grants call-without-from');
  });

  test.each(['eth_call', 'cairn_call'])('%s without `from` is allowed by a grant of the key', async (method) => {
    const relaxed = `relaxed-${method.toLowerCase().replace('_', '-')}`;
    await withAuth(gateway.home, async (auth) => {
      await auth.createKey('caller', { id: relaxed, policy: { grants: ['call-without-from'] } });
    });
    const data = dataOf(Token, 'balanceOf', [from]);
    const params = [{ to: Token.address, data }, 'latest'];
    expect((await call(gateway.url.replace(key, relaxed), method, params)).error).toBeUndefined();
    expect((await call(gateway.url, method, params)).error?.code).toBe(-32602);
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

  test('returns an error, not a revert, for an invalid opcode', async () => {
    const { error } = await call(gateway.url, 'eth_call', [revertsCall('byInvalidOpcode'), 'latest']);
    expect(error).toEqual({ code: -32000, message: expect.stringContaining('invalid opcode') });
  });

  test('caps gas at 10 times the gas limit of the block', async () => {
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

  test('reads the state after the requested block', async () => {
    const balance = { from, to: Token.address, data: dataOf(Token, 'balanceOf', [from]) };
    const at = async (block: unknown) => (await call(gateway.url, 'eth_call', [balance, block])).result;
    expect(BigInt(String(await at('latest')))).toBe(parseUnits('5006', 18));
    expect(await at({ blockHash: sample.head, requireCanonical: true })).toBe(await at('latest'));
    expect(await at('earliest')).toBe('0x');
    expect((await call(gateway.url, 'eth_call', [balance, '0xffff'])).error).toEqual({
      code: -32000,
      message: 'header not found. The newest block is 24.',
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

  test('end an endless call while other calls are answered', async () => {
    const endless = { from, to: Loops.address, gas: '0xffffffffffff' };
    // A loop of MULMOD: the most expensive work per gas.
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

  const pair = [
    ...['01', '02'], // The generators of BN254 (EIP-197).
    ...['198e9393920d483a7260bfb731fb5d25f1aa493335a9e71297e485b7aef312c2'],
    ...['1800deef121f1e76426a00665e5c4479674322d4f75edadd46debd5cd992f6ed'],
    ...['090689d0585ff075ec9e99ad690c3395bc4b313370b38ef355acdadcd122975b'],
    ...['12c85ea5db8c6deb4aab71808dcb408fe3d1e7690c43d37b4ce6cc0166fa7daa'],
  ].map((word) => word.padStart(64, '0'));
  test.each([
    ['a loop', '0x5b6007600760070950600056', '0x'],
    ['recursion that branches', '0x5b5f5f5f5f5f305af1505f56', '0x'],
    ['one pairing after the other', '0x365f5f375b5f5f365f60085afa50600456', `0x${pair.join('')}`],
  ])('end %s, while light calls are answered', async (_, code, data) => {
    const { answer, amid } = await withLightCalls(gateway, code, data);
    expect(answer.error).toMatchObject({ code: -32000, message: expect.stringContaining('longer than 250 ms') });
    expect(amid).toBeGreaterThan(1);
  });

  test('allow calls without `from` on a network with requireFrom: false', async () => {
    const data = dataOf(Token, 'totalSupply');
    expect((await call(gateway.url, 'eth_call', [{ to: Token.address, data }, 'latest'])).result).toMatch(/^0x0/);
  });
});

describe('long calls below the time limit', () => {
  let gateway: Gateway;
  beforeAll(async () => {
    // They take well under a second on an idle machine.
    const env = { CAIRN_CALL_TIMEOUT_MS: '60000' };
    gateway = await startGateway({ networks: [{ ...sampleEntry, requireFrom: false }], env });
  });
  afterAll(() => gateway?.stop());

  const outOfGas = { error: { code: -32000, message: 'out of gas' } };
  test.each([
    ['growing memory, by MSTORE at MSIZE', '0x5b5f59525f56', outOfGas],
    ['growing memory in many frames, a word at 1 MiB in each', '0x5f620fffe0525f5f5f5f5f305af100', { result: '0x' }],
    ['recursion', '0x5f5f5f5f5f305af100', { result: '0x' }],
  ])('%s returns its result, while light calls are answered', async (_, code, expected) => {
    const { error, result } = (await withLightCalls(gateway, code)).answer;
    expect({ error, result }).toEqual({ error: undefined, result: undefined, ...expected });
  });
});

/** Calls code with the maximum gas, and sends light requests repeatedly until it ends. */
async function withLightCalls(gateway: Gateway, code: string, data = '0x') {
  let isOver = false;
  const expensive = { from, to: Loops.address, gas: '0xffffffffffff', data };
  const heavy = call(gateway.url, 'eth_call', [expensive, 'latest', { [Loops.address]: { code } }]).finally(() => {
    isOver = true;
  });
  let amid = 0;
  while (!isOver) {
    const light = { to: Token.address, data: dataOf(Token, 'totalSupply') };
    expect((await call(gateway.url, 'eth_call', [light, 'latest'])).result).toMatch(/^0x0/);
    if (!isOver) amid++;
  }
  return { answer: await heavy, amid };
}
