import type { Hex } from '@cairn/block-model';
import type { MemoryAccount } from '@cairn/block-model/testing';
import { describe, expect, test } from '@jest/globals';
import type { CallRequest } from '../call-request.ts';
import { alice, codes, contract, optionsFor, other, specAt, type TestFork } from '../test-chain.fixture.ts';
import { traceCall } from './trace-call.ts';
import { parseTraceOptions } from './trace-options.ts';

// biome-ignore lint/suspicious/noExplicitAny: each tracer has its own result type.
type Answer = any;
type Accounts = Readonly<Record<Hex, MemoryAccount>>;

const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}` as const;

async function trace(
  config: unknown,
  code: Hex,
  { call = {}, accounts = {}, fork = 'osaka', gasCapMultiplier = 10 }: Settings = {},
) {
  const all = { ...accounts, [contract]: { ...accounts[contract], code } };
  const options = {
    ...optionsFor({ from: alice, to: contract, gas: 1_000_000n, ...call }, all),
    spec: specAt(fork),
    limits: { gasCapMultiplier },
  };
  const { json } = await traceCall(options, parseTraceOptions(config));
  return JSON.parse(json) as Answer;
}

interface Settings {
  readonly call?: CallRequest;
  readonly accounts?: Accounts;
  readonly fork?: TestFork;
  readonly gasCapMultiplier?: number;
}

// Expected results are those of geth 1.17.5.
describe('callTracer', () => {
  const calls = (code: Hex, settings?: Settings) =>
    trace({ tracer: 'callTracer' }, code, settings).then((frame) => frame.calls);

  test('reports calls and creations that fail for lack of balance, with their gas', async () => {
    // CALL, CALLCODE, CREATE and CREATE2 with a value of 1 from a contract without balance.
    const target = other.slice(2);
    const code =
      `0x5f5f5f5f600173${target}612710f1505f5f5f5f600173${target}612710f2505f5f6001f0505f5f5f6001f500` as const;
    const found = await calls(code);
    expect(found.map(({ type, error, gasUsed }: Answer) => [type, error, gasUsed])).toEqual([
      ['CALL', 'insufficient balance for transfer', '0x0'],
      ['CALLCODE', 'insufficient balance for transfer', '0x0'],
      ['CREATE', 'insufficient balance for transfer', '0x0'],
      ['CREATE2', 'insufficient balance for transfer', '0x0'],
    ]);
    expect(found.map(({ to }: Answer) => to)).toEqual([other, other, undefined, undefined]);
    // 10,000 plus the stipend.
    expect(found[0].gas).toBe('0x300c');
  });

  test('reports the call that exceeds the depth limit', async () => {
    let frame = await trace({ tracer: 'callTracer' }, codes.recurse, {
      call: { gas: 2n ** 45n },
      gasCapMultiplier: 2_000_000,
      fork: 'cancun',
    });
    let depth = 0;
    for (; frame.calls !== undefined; depth++) frame = frame.calls[0];
    expect([depth, frame.error]).toEqual([1025, 'max call depth exceeded']);
  });

  test('numbers logs that are kept, with the count of calls before them', async () => {
    // A log, a call that emits a log and reverts, a log.
    const code = `0x5f5fa05f5f5f5f5f73${other.slice(2)}5af1505f5fa000` as const;
    const options = { tracer: 'callTracer', tracerConfig: { withLog: true } };
    const accounts = { [other]: { code: '0x5f5fa05f5ffd' as const } };
    const { logs, calls } = await trace(options, code, { accounts });
    expect(logs.map(({ index, position }: Answer) => [index, position])).toEqual([
      ['0x0', '0x0'],
      ['0x1', '0x1'],
    ]);
    expect(calls[0].logs).toBeUndefined();
  });

  test('reports SELFDESTRUCT with the balance of the contract', async () => {
    const accounts = { [contract]: { balance: 7n } };
    expect(await calls(`0x73${other.slice(2)}ff`, { accounts })).toEqual([
      { type: 'SELFDESTRUCT', from: contract, to: other, gas: '0x0', gasUsed: '0x0', input: '0x', value: '0x7' },
    ]);
  });

  test.each([
    ['0xe6', 'invalid opcode: DUPN'],
    ['0x0c', 'invalid opcode: opcode 0xc not defined'],
    ['0xfe', 'invalid opcode: INVALID'],
    ['0x6001ff', 'out of gas: write protection'],
    ['0x60015f55', 'out of gas: write protection'],
    ['0x60015f5d', 'write protection'],
    ['0x5f5fa0', 'write protection'],
    ['0x5f5f5ff0', 'out of gas: write protection'],
    ['0x5f5f5f5f60015f5af1', 'out of gas: write protection'],
    ['0x5f6601ffffffffffe152', 'out of gas: gas uint64 overflow'],
    ['0x5f68010000000000000000f3', undefined],
    ['0x600168010000000000000000f3', 'gas uint64 overflow'],
    ['0x600160015f3e', 'return data out of bounds'],
  ])('gives code %s in a static call the error %s', async (code, error) => {
    const outer = `0x5f5f5f5f73${other.slice(2)}620186a0fa00` as const;
    const [inner] = await calls(outer, { accounts: { [other]: { code: code as Hex } } });
    expect(inner.error).toBe(error);
  });

  test('reports creations with invalid code in geth’s order of checks', async () => {
    const returning = (length: number, gas: bigint) =>
      trace({ tracer: 'callTracer' }, `0x61${length.toString(16)}5f5f395f5ff3`, {
        call: { gas, to: undefined, data: `0x61${length.toString(16)}5ff3` },
      }).then((frame) => [frame.error, frame.to]);
    expect(await returning(0x6001, 100_000n)).toEqual(['contract creation code storage out of gas', undefined]);
    expect(await returning(0x6001, 10_000_000n)).toEqual([
      'max code size exceeded: code size 24577 limit 24576',
      undefined,
    ]);
  });
});

describe('steps', () => {
  const steps = (code: Hex, settings?: Settings) => trace({}, code, settings).then(({ structLogs }) => structLogs);

  test('include the implicit STOP at the end of code, and no step for empty code', async () => {
    expect((await steps('0x5f50')).map(({ op, pc }: Answer) => [pc, op])).toEqual([
      [0, 'PUSH0'],
      [1, 'POP'],
      [2, 'STOP'],
    ]);
    expect((await steps('0x5f5f5ff000')).map(({ op }: Answer) => op)).toEqual([
      'PUSH0',
      'PUSH0',
      'PUSH0',
      'CREATE',
      'STOP',
    ]);
  });

  test('have geth’s name and price for undefined opcodes', async () => {
    expect(await steps('0x0c')).toEqual([
      { pc: 0, op: 'opcode 0xc not defined', gas: 979_000, gasCost: 0, depth: 1, stack: [] },
    ]);
  });

  test('have integer gas costs for any size of memory', async () => {
    // MSTORE at 2^63 - 1, KECCAK256 of that length, and memory within 64 bits that no gas limit covers.
    expect((await steps('0x5f677fffffffffffffff52')).at(-1)).toMatchObject({
      gasCost: 3,
      error: 'out of gas: gas uint64 overflow',
    });
    expect((await steps('0x5f63ffffffff52')).at(-1)).toMatchObject({
      gasCost: 35_184_775_266_310,
      error: 'out of gas',
    });
  });

  test('include their refund', async () => {
    const accounts = { [contract]: { storage: { [word(0)]: word(1) } } };
    const [, , store, stop] = await steps('0x5f5f5500', { accounts });
    expect([store.refund, stop.refund]).toEqual([4_800, 4_800]);
  });

  test('without gas for their constant price report only that price', async () => {
    const last = (await steps('0x60016002600320', { call: { gas: 21_010n } })).at(-1);
    expect(last).toMatchObject({ op: 'KECCAK256', gas: 1, gasCost: 30, error: 'out of gas' });
  });

  test.each([
    ['frontier', 'CALL', 40 + 25_000 + 10_000],
    ['tangerineWhistle', 'CALL', 700 + 25_000 + 10_000],
    ['spuriousDragon', 'CALL', 700 + 10_000],
    ['berlin', 'CALL', 2_600 + 10_000],
  ] as const)('in %s price a %s of nothing', async (fork, op, gasCost) => {
    const code = `0x6000600060006000600073${other.slice(2)}612710f100` as const;
    expect((await steps(code, { fork })).find((step: Answer) => step.op === op).gasCost).toBe(gasCost);
  });
});

describe('flatCallTracer', () => {
  const code = `0x5f5f5f5f600473${'00'.repeat(19)}025af1505f5f5f5f73${other.slice(2)}5afa00` as const;
  const accounts = { [other]: { code: '0x0c' }, [contract]: { balance: 9n } } as const;

  test('lists calls with their positions and omits calls of precompiles', async () => {
    const flat = await trace({ tracer: 'flatCallTracer' }, code, { accounts });
    expect(
      flat.map(({ type, traceAddress, subtraces, error }: Answer) => [type, traceAddress, subtraces, error]),
    ).toEqual([
      ['call', [], 1, undefined],
      ['call', [0], 0, 'invalid opcode: opcode 0xc not defined'],
    ]);
    expect(flat[0]).toMatchObject({ blockHash: null, blockNumber: 0, transactionHash: null, transactionPosition: 0 });
    expect(flat[1].action).toMatchObject({ callType: 'staticcall', value: '0x0' });
    expect(flat[1].result).toBeUndefined();
  });

  test('includes precompiles and Parity’s error texts on request', async () => {
    const tracerConfig = { includePrecompiles: true, convertParityErrors: true };
    const flat = await trace({ tracer: 'flatCallTracer', tracerConfig }, code, { accounts });
    expect(flat.map(({ error }: Answer) => error)).toEqual([undefined, undefined, 'Bad instruction']);
  });
});

test('muxTracer returns the result of each tracer under its name', async () => {
  const tracerConfig = { callTracer: { onlyTopCall: true }, '4byteTracer': null, opcountTracer: {} };
  const found = await trace({ tracer: 'muxTracer', tracerConfig }, '0x5f50', { call: { data: '0xaabbccdd' } });
  expect(found).toMatchObject({ callTracer: { type: 'CALL' }, '4byteTracer': { '0xaabbccdd-0': 1 }, opcountTracer: 3 });
});

test('4byteTracer ignores precompiles', async () => {
  const code = `0x5f5f60045f73${'00'.repeat(19)}025afa00` as const;
  expect(await trace({ tracer: '4byteTracer' }, code)).toEqual({});
});

test('keccak256PreimageTracer returns preimages by hash', async () => {
  expect(await trace({ tracer: 'keccak256PreimageTracer' }, '0x60ff5f5360015f205f5f2000')).toEqual({
    '0x8b1a944cf13a9a1c08facb2c9e98623ef3254d2ddb48113885c3e8e97fec8db9': '0xff',
    '0xc5d2460186f7233c927e7db2dcc703c0e500b653ca82273b7bfad8045d85a470': '0x',
  });
});

test('opcode histograms count sequences within a frame', async () => {
  const code = '0x5f5f5001';
  expect(await trace({ tracer: 'unigramTracer' }, code)).toEqual({ PUSH0: 2, POP: 1, ADD: 1 });
  expect(await trace({ tracer: 'bigramTracer' }, code)).toEqual({ 'PUSH0-PUSH0': 1, 'PUSH0-POP': 1, 'POP-ADD': 1 });
  expect(await trace({ tracer: 'trigramTracer' }, code)).toEqual({ '--PUSH0': 1, '-PUSH0-POP': 1, 'PUSH0-POP-ADD': 1 });
});

test('a timeout ends the transaction', async () => {
  const endless = trace({ tracer: 'callTracer', timeout: '1ns' }, codes.spin, { call: { gas: 16_000_000n } });
  await expect(endless).rejects.toMatchObject({ code: 'EXECUTION_TIMEOUT', message: 'execution timeout' });
});
