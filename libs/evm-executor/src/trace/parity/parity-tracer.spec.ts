import type { Hex } from '@cairn/block-model';
import type { MemoryAccount } from '@cairn/block-model/testing';
import { describe, expect, test } from '@jest/globals';
import type { CallRequest } from '../../call-request.ts';
import { alice, codes, contract, optionsFor, other, specAt, type TestFork } from '../../test-chain.fixture.ts';
import { traceCall } from '../trace-call.ts';
import { parseTraceTypes } from './parse-trace-types.ts';

// biome-ignore lint/suspicious/noExplicitAny: the parts of a trace have many forms.
type Answer = any;
type Accounts = Readonly<Record<Hex, MemoryAccount>>;

const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}` as const;
const bare = (address: Hex) => address.slice(2);
const sha256 = `0x${'00'.repeat(19)}02` as const;

interface Settings {
  readonly call?: CallRequest;
  readonly accounts?: Accounts;
  readonly fork?: TestFork;
}

async function trace(types: readonly string[], code: Hex, { call = {}, accounts = {}, fork = 'osaka' }: Settings = {}) {
  const all = { ...accounts, [contract]: { ...accounts[contract], code } };
  const options = {
    ...optionsFor({ from: alice, to: contract, gas: 1_000_000n, ...call }, all),
    spec: specAt(fork),
  };
  return JSON.parse((await traceCall(options, parseTraceTypes('types', types))).json) as Answer;
}
const frames = async (code: Hex, settings?: Settings): Promise<Answer[]> =>
  (await trace(['trace'], code, settings)).trace;

describe('trace', () => {
  test('has the gas of the outermost call without the intrinsic gas', async () => {
    const [root] = await frames('0x5f50', { call: { data: '0x01' } });
    expect(root).toEqual({
      action: { callType: 'call', from: alice, gas: '0xef028', input: '0x01', to: contract, value: '0x0' },
      result: { gasUsed: '0x4', output: '0x' },
      subtraces: 0,
      traceAddress: [],
      type: 'call',
    });
  });

  test('leaves out nested calls of precompiles without value, and does not count them', async () => {
    // SHA-256 with 0 and 1 wei, then a call of another account.
    const call = (to: Hex, value: string) => `5f5f5f5f${value}73${bare(to)}5af150`;
    const code = `0x${call(sha256, '5f')}${call(sha256, '6001')}${call(other, '5f')}00` as const;
    const found = await frames(code, { accounts: { [contract]: { balance: 9n } } });
    expect(found.map(({ traceAddress, subtraces, action }) => [traceAddress, subtraces, action.to])).toEqual([
      [[], 2, contract],
      [[0], 0, sha256],
      [[1], 0, other],
    ]);
  });

  test('lists a precompile that is called with the value of its caller by DELEGATECALL, and as the outermost call', async () => {
    const accounts = { [alice]: { balance: 9n } };
    const delegating = await frames(`0x5f5f5f5f73${bare(sha256)}5af400`, { call: { value: 1n }, accounts });
    expect(delegating.map(({ action }) => [action.callType, action.value])).toEqual([
      ['call', '0x1'],
      ['delegatecall', '0x1'],
    ]);
    expect(await frames('0x', { call: { to: sha256 } })).toHaveLength(1);
  });

  test('has the result of a creation, and its revert data without an address', async () => {
    // CREATE with code that returns one byte, then CREATE2 with code that reverts with it.
    const init = (end: string) => `60015f5360015f${end}`;
    const create = (code: string, salt: string, opcode: string) =>
      `67${code.padEnd(16, '0')}60c01b5f52${salt}60085f5f${opcode}50`;
    const code = `0x${create(init('f3'), '', 'f0')}${create(init('fd'), '5f', 'f5')}00` as const;
    const [root, one, two] = await frames(code);
    expect(root.subtraces).toBe(2);
    expect(one).toMatchObject({
      type: 'create',
      action: { creationMethod: 'create', from: contract, init: '0x60015f5360015ff3' },
    });
    expect(one.result).toEqual({ address: expect.stringMatching(/^0x[0-9a-f]{40}$/), code: '0x01', gasUsed: '0xd8' });
    expect(two).toMatchObject({ error: 'Reverted', action: { creationMethod: 'create2' } });
    expect(two.result).toEqual({ gasUsed: '0x10', output: '0x01' });
  });

  test('lists SELFDESTRUCT as suicide with the balance and the heir', async () => {
    const [, suicide] = await frames(`0x73${bare(other)}ff`, { accounts: { [contract]: { balance: 7n } } });
    expect(suicide).toEqual({
      action: { address: contract, balance: '0x7', refundAddress: other },
      result: null,
      subtraces: 0,
      traceAddress: [0],
      type: 'suicide',
    });
  });

  test.each([
    ['0x5f5ffd', 'Reverted', { gasUsed: '0x4', output: '0x' }],
    ['0x0c', 'Bad instruction', null],
    ['0xfe', 'Bad instruction', null],
    ['0x5f56', 'Bad jump destination', null],
    ['0x50', 'Stack underflow', null],
    ['0x5b5f5f56', 'Out of stack', null],
    ['0x60015f55', 'Mutable Call In Static Context', null],
    ['0x5f5f5d', 'Mutable Call In Static Context', null],
    ['0x600160015f3e', 'Out of bounds', null],
    ['0x5b5f56', 'Out of gas', null],
    ['0x5f6601ffffffffffe152', 'Out of gas', null],
  ] as const)('gives code %s in a static call the error %s', async (code, error, result) => {
    const outer = `0x5f5f5f5f73${bare(other)}620186a0fa00` as const;
    const [, inner] = await frames(outer, { accounts: { [other]: { code } } });
    expect([inner.error, inner.result]).toEqual([error, result]);
  });

  test('gives failures of a precompile, of deployed code and of calls without a frame their own words', async () => {
    const pairing = `0x${'00'.repeat(19)}08` as const;
    const accounts = { [contract]: { balance: 1n } };
    const [, failed] = await frames(`0x5f5f60015f600173${bare(pairing)}5af100`, { accounts });
    expect(failed.error).toBe('Built-in failed');
    const deployed = (code: Hex) => frames('0x', { call: { to: undefined, data: code } }).then(([root]) => root.error);
    expect(await deployed('0x60ef5f5360015ff3')).toBe('Invalid code');
    expect(await deployed('0x6160015ff3')).toBe('Out of gas');
    const [, poor] = await frames(`0x5f5f5f5f600173${bare(other)}5af100`);
    expect([poor.error, poor.result, poor.subtraces]).toEqual(['Insufficient balance for transfer', null, 0]);
  });
});

describe('stateDiff', () => {
  const diff = async (code: Hex, settings?: Settings) => (await trace(['stateDiff'], code, settings)).stateDiff;

  test('marks changed fields, and changed slots with both words', async () => {
    const accounts = {
      [alice]: { balance: 10n, nonce: 3n },
      [contract]: { balance: 1n, storage: { [word(1)]: word(5), [word(2)]: word(6), [word(3)]: word(7) } },
    };
    // Slot 0 from 0 to 1, slot 1 from 5 to 0, slot 2 unchanged, slot 3 changed and restored.
    const code = '0x60015f555f600155600660025560016003556007600355';
    expect(await diff(code, { call: { value: 4n }, accounts })).toEqual({
      [alice]: {
        balance: { '*': { from: '0xa', to: '0x6' } },
        code: '=',
        nonce: { '*': { from: '0x3', to: '0x4' } },
        storage: {},
      },
      [contract]: {
        balance: { '*': { from: '0x1', to: '0x5' } },
        code: '=',
        nonce: '=',
        storage: {
          [word(0)]: { '*': { from: word(0), to: word(1) } },
          [word(1)]: { '*': { from: word(5), to: word(0) } },
        },
      },
    });
  });

  test('marks created accounts, and removed ones without their storage', async () => {
    const accounts = { [alice]: { nonce: 1n }, [contract]: { balance: 7n, storage: { [word(0)]: word(1) } } };
    const found = await diff(`0x60025f5573${bare(other)}ff`, { accounts, fork: 'shanghai' });
    expect(found[contract]).toEqual({
      balance: { '-': '0x7' },
      code: { '-': `0x60025f5573${bare(other)}ff` },
      nonce: { '-': '0x0' },
      storage: {},
    });
    expect(found[other]).toEqual({ balance: { '+': '0x7' }, code: { '+': '0x' }, nonce: { '+': '0x0' }, storage: {} });
  });

  test('lists the non-zero slots of a created contract', async () => {
    const data = '0x60015f5560026001555f60015560015ff3';
    const found = await diff('0x', { call: { to: undefined, data } });
    const [[, created]] = Object.entries(found).filter(([address]) => address !== alice) as [[string, Answer]];
    expect(created).toEqual({
      balance: { '+': '0x0' },
      code: { '+': '0x00' },
      nonce: { '+': '0x1' },
      storage: { [word(0)]: { '+': word(1) } },
    });
  });

  test('is empty for what a revert takes back, apart from the sender', async () => {
    const found = await diff(`0x60015f555f5ffd`, { accounts: { [alice]: { nonce: 1n } } });
    expect(found).toEqual({
      [alice]: { balance: '=', code: '=', nonce: { '*': { from: '0x1', to: '0x2' } }, storage: {} },
    });
  });
});

describe('vmTrace', () => {
  const vm = async (code: Hex, settings?: Settings) => (await trace(['vmTrace'], code, settings)).vmTrace;

  test('has the words, memory and slots that steps write, and the gas after them', async () => {
    const { code, ops } = await vm('0x60ff5f52805f515f5500');
    expect(code).toBe('0x60ff5f52805f515f5500');
    expect(ops.slice(0, 3)).toEqual([
      { cost: 3, ex: { mem: null, push: ['0xff'], store: null, used: 978_997 }, op: 'PUSH1', pc: 0, sub: null },
      { cost: 2, ex: { mem: null, push: ['0x0'], store: null, used: 978_995 }, op: 'PUSH0', pc: 2, sub: null },
      {
        cost: 6,
        ex: { mem: { data: word(255), off: 0 }, push: [], store: null, used: 978_989 },
        op: 'MSTORE',
        pc: 3,
        sub: null,
      },
    ]);
    // DUP1 of an empty stack cannot begin.
    expect(ops).toHaveLength(3);
  });

  test('shows all words that DUP and SWAP reach, and SSTORE with its operands', async () => {
    const { ops } = await vm('0x600160028190815500');
    expect(ops.map(({ op, ex }: Answer) => [op, ex.push, ex.store])).toEqual([
      ['PUSH1', ['0x1'], null],
      ['PUSH1', ['0x2'], null],
      ['DUP2', ['0x1', '0x2', '0x1'], null],
      ['SWAP1', ['0x1', '0x2'], null],
      ['DUP2', ['0x1', '0x2', '0x1'], null],
      ['SSTORE', [], { key: '0x1', val: '0x2' }],
      ['STOP', [], null],
    ]);
  });

  test('nests called code, with the price of the gas that is passed on', async () => {
    const code = `0x60205f60205f5f73${bare(other)}612710f150` as const;
    const { ops } = await vm(code, { accounts: { [other]: { code: codes.gas } } });
    const call = ops.find(({ op }: Answer) => op === 'CALL');
    expect(call.cost).toBe(2_600 + 3 + 10_000);
    expect(call.sub.code).toBe(codes.gas);
    const last = call.sub.ops.at(-1);
    expect(last.op).toBe('RETURN');
    const before = ops.at(ops.indexOf(call) - 1);
    expect(call.ex.used).toBe(before.ex.used - call.cost + last.ex.used);
    expect(call.ex.mem).toEqual({ data: word(9_998), off: 0 });
    expect(call.ex.push).toEqual(['0x1']);
    // No step stands for the end of the code.
    expect(ops.at(-1).op).toBe('POP');
  });

  test('adds the gas that is passed on to the price of CREATE', async () => {
    const { ops } = await vm('0x5f5f5ff000');
    const create = ops.at(3);
    expect(create.sub).toEqual({ code: '0x', ops: [] });
    const left = 979_000 - 6 - 32_000;
    expect(create.cost).toBe(32_000 + left - Math.floor(left / 64));
    expect(create.ex.used).toBe(left);
  });

  test('has no result for a step that fails, and no step for undefined opcodes', async () => {
    const code = `0x5f5f5f5f73${bare(other)}612710fa00` as const;
    const sub = async (inner: Hex) =>
      (await vm(code, { accounts: { [other]: { code: inner } } })).ops.find(({ op }: Answer) => op === 'STATICCALL')
        .sub;
    expect((await sub('0x5f5f55')).ops.at(-1)).toMatchObject({ op: 'SSTORE', ex: null, sub: null });
    expect((await sub('0x5f56')).ops.at(-1)).toMatchObject({ op: 'JUMP', ex: null });
    expect((await sub('0x5f0c')).ops.map(({ op }: Answer) => op)).toEqual(['PUSH0']);
    expect((await sub('0x5f5ffd')).ops.at(-1)).toMatchObject({ op: 'REVERT', ex: { push: [] } });
  });

  test('is an object for accounts without code, and has an empty one for a precompile', async () => {
    expect(await vm('0x', { call: { to: other } })).toEqual({ code: '0x', ops: [] });
    const { ops } = await vm(`0x5f5f5f5f73${bare(sha256)}5afa00`);
    expect(ops.find(({ op }: Answer) => op === 'STATICCALL').sub).toEqual({ code: '0x', ops: [] });
    const poor = await vm(`0x5f5f5f5f600173${bare(other)}5af100`);
    expect(poor.ops.find(({ op }: Answer) => op === 'CALL').sub).toBeNull();
  });
});

test('parts that are not selected are empty, and the output is always there', async () => {
  expect(await trace([], codes.refuse)).toMatchObject({ stateDiff: null, trace: [], vmTrace: null });
  expect((await trace([], codes.refuse)).output).toMatch(/^0x08c379a0/);
});

test('an unknown trace type is refused', () => {
  expect(() => parseTraceTypes('types', ['trace', 'logs'])).toThrow(
    expect.objectContaining({ code: 'VALUE_INVALID', message: expect.stringContaining('types[1]') }),
  );
});

test('a trace of large inputs ends at its limit', async () => {
  // Calls itself with 1 MiB of input until the limit is reached; the bytes are bounded as well as the text.
  const code = '0x5b5f5f620fffff5f5f73c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c1c15af1505f56' as const;
  const call = { gas: 200_000_000n };
  await expect(trace(['trace'], code, { call })).rejects.toMatchObject({ code: 'TRACE_TOO_LARGE' });
});
