import { bytesFromHex, hexFromBytes, keccak256 } from '@cairn/block-model';
import { describe, expect, test } from '@jest/globals';
import { alice, codes, contract, optionsFor, other } from '../test-chain.fixture.ts';
import { traceCall } from './trace-call.ts';
import { parseTraceOptions } from './trace-options.ts';

const trace = async (
  config: unknown,
  accounts: Parameters<typeof optionsFor>[1],
  call: Parameters<typeof optionsFor>[0] = {},
) =>
  JSON.parse(
    (await traceCall(optionsFor({ from: alice, to: contract, ...call }, accounts), parseTraceOptions(config))).json,
  );
const word = (value: number) => `0x${value.toString(16).padStart(64, '0')}` as const;
const zeros = (count: number) => '00'.repeat(count);

describe('steps', () => {
  test('have gas, stack, storage and, with enableMemory, memory', async () => {
    const { structLogs, ...rest } = await trace({ enableMemory: true }, { [contract]: { code: codes.count } });
    expect(rest).toEqual({ gas: 43_129, failed: false, returnValue: word(0) });
    expect(structLogs.slice(0, 3)).toEqual([
      { pc: 0, op: 'PUSH0', gas: 299_979_000, gasCost: 2, depth: 1, stack: [] },
      {
        pc: 1,
        op: 'SLOAD',
        gas: 299_978_998,
        gasCost: 2100,
        depth: 1,
        stack: ['0x0'],
        storage: { [word(0)]: word(0) },
      },
      { pc: 2, op: 'DUP1', gas: 299_976_898, gasCost: 3, depth: 1, stack: ['0x0'] },
    ]);
    expect(structLogs.find(({ op }: { op: string }) => op === 'SSTORE')).toMatchObject({
      gasCost: 20_000,
      storage: { [word(0)]: word(1) },
    });
    expect(structLogs.at(-1)).toMatchObject({ op: 'RETURN', gasCost: 0, memory: [`0x${zeros(32)}`] });
  });

  test('of calls include the gas passed on, and have the return data', async () => {
    const accounts = { [contract]: { code: codes.relay }, [other]: { code: codes.refuse } };
    const { structLogs, failed, returnValue } = await trace({ enableReturnData: true }, accounts, { gas: 100_000n });
    const call = structLogs.find(({ op }: { op: string }) => op === 'CALL');
    const first = structLogs.find(({ depth }: { depth: number }) => depth === 2);
    expect(call.gasCost - first.gas).toBe(2_600);
    const after = structLogs[structLogs.findLastIndex(({ depth }: { depth: number }) => depth === 2) + 1];
    expect([failed, after.returnData]).toEqual([true, returnValue]);
  });

  test("report geth's error before a step, and end at the limit", async () => {
    const { structLogs, failed } = await trace({}, { [contract]: { code: '0x01' } });
    expect([failed, structLogs.at(-1).error]).toEqual([true, 'stack underflow (0 <=> 2)']);
    const limited = await trace({ limit: 60, disableStack: true }, { [contract]: { code: codes.count } });
    expect(limited.structLogs.map((step: object) => Object.keys(step).includes('stack'))).toEqual([false, false]);
  });
});

test('callTracer returns the tree of calls with reasons and logs', async () => {
  // Emits an empty log with topic 1, then calls `other`.
  const code = `0x60015f5fa1${codes.relay.slice(2)}` as const;
  const accounts = { [contract]: { code }, [other]: { code: codes.refuse } };
  const frame = await trace({ tracer: 'callTracer', tracerConfig: { withLog: true } }, accounts, { value: 0n });
  expect(frame).toMatchObject({
    type: 'CALL',
    from: alice,
    to: contract,
    value: '0x0',
    gas: '0x11e1a300',
    error: 'execution reverted',
    revertReason: 'no',
    calls: [{ type: 'CALL', from: contract, to: other, input: '0x', error: 'execution reverted', revertReason: 'no' }],
  });
  // A failed call has no logs.
  expect(frame.logs).toBeUndefined();
  const logged = await trace(
    { tracer: 'callTracer', tracerConfig: { withLog: true } },
    { [contract]: { code: '0x60015f5fa100' } },
  );
  expect(logged.logs).toEqual([{ address: contract, topics: [word(1)], data: '0x', position: '0x0', index: '0x0' }]);
  const top = await trace({ tracer: 'callTracer', tracerConfig: { onlyTopCall: true } }, accounts);
  expect(top.calls).toBeUndefined();
});

test('prestateTracer returns accounts before, and with diffMode after the call', async () => {
  const accounts = {
    [alice]: { balance: 5n },
    [contract]: { code: codes.count, storage: { [word(0)]: word(4) } },
  } as const;
  const codeHash = hexFromBytes(keccak256(bytesFromHex(codes.count)));
  expect(await trace({ tracer: 'prestateTracer' }, accounts)).toEqual({
    [alice]: { balance: '0x5' },
    [contract]: { balance: '0x0', code: codes.count, codeHash, storage: { [word(0)]: word(4) } },
  });
  expect(await trace({ tracer: 'prestateTracer', tracerConfig: { diffMode: true } }, accounts, { value: 2n })).toEqual({
    pre: {
      [alice]: { balance: '0x5' },
      [contract]: { balance: '0x0', code: codes.count, codeHash, storage: { [word(0)]: word(4) } },
    },
    post: {
      [alice]: { balance: '0x3', nonce: 1 },
      [contract]: { balance: '0x2', storage: { [word(0)]: word(5) } },
      // geth's output for a coinbase that does not exist and receives nothing.
      [`0x${'cc'.repeat(20)}`]: { codeHash: word(0) },
    },
  });
});

test('4byteTracer counts calls by function', async () => {
  const found = await trace({ tracer: '4byteTracer' }, { [contract]: { code: '0x00' } }, { data: '0xaabbccdd00' });
  expect(found).toEqual({ '0xaabbccdd-1': 1 });
});

// Read from geth 1.17.5: contradictions in the fields of a call are reported before the trace starts.
test.each([
  ['both gasPrice and (maxFeePerGas or maxPriorityFeePerGas) specified', { gasPrice: 1n, maxFeePerGas: 1n }],
  ["chainId does not match node's (have=1, want=1337)", { chainId: 1n }],
  ['tracing failed: intrinsic gas too low: have 1, want 21000', { gas: 1n }],
])('a refused call is reported as %s', async (message, call) => {
  await expect(trace({}, {}, call)).rejects.toThrow(expect.objectContaining({ message }));
});
