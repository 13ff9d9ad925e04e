import { type ChainSpec, type Hex, hexFromBytes } from '@cairn/block-model';
import { createMemoryState } from '@cairn/block-model/testing';
import type { CallEngine, Deadline, EngineTracer } from '@cairn/evm';
import {
  callOpcodes,
  createInterpreterEngine,
  createTracedEngine,
  forkRules,
  op,
  StateCache,
  WorldState,
} from '@cairn/evm';
import { compileLimits, createCompiledEngine } from '@cairn/evm/compiled';
import { createEthereumjsEngine } from '@cairn/evm-ethereumjs';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { applyMessage } from '../apply-message.ts';
import type { CallRequest } from '../call-request.ts';
import { specAt, testForks } from '../test-chain.fixture.ts';

// The interpreter, compiled code and @ethereumjs/evm execute random code and must agree in result, gas, refunds, logs and state.
const seed = Number(process.env.FUZZ_SEED ?? 1);
const numRuns = Number(process.env.FUZZ_RUNS ?? 60);

const reference = createEthereumjsEngine();
const nobody: CallEngine = {
  name: 'none',
  run: () => Promise.reject(new Error('A message was left to another engine.')),
};
const interpreter = createInterpreterEngine(nobody);
const traced = createTracedEngine(nobody);
/** One engine compiles every code before its first run, the other one at its first jump. */
const compiled = [
  createCompiledEngine(nobody, { ...compileLimits, callsMin: 1, callsMax: 1, bytesPerCall: Number.POSITIVE_INFINITY }),
  createCompiledEngine(nobody, { ...compileLimits, callsMin: Number.POSITIVE_INFINITY, gasMin: 0, gasPerByte: 0 }),
];

const sender: Hex = `0x${'aa'.repeat(20)}`;
const first: Hex = `0x${'00'.repeat(18)}1001`;
const second: Hex = `0x${'00'.repeat(18)}1002`;
const delegated: Hex = `0x${'00'.repeat(18)}1003`;
const absent: Hex = `0x${'00'.repeat(18)}1004`;

const hex = (bytes: readonly number[]): Hex => hexFromBytes(Uint8Array.from(bytes));
const push = (word: bigint): number[] => {
  const digits = word.toString(16);
  const bytes = [...Buffer.from(digits.length % 2 ? `0${digits}` : digits, 'hex')];
  return [op.PUSH0 + bytes.length, ...bytes];
};

/** Words at boundaries of number ranges. */
const word = fc.oneof(
  fc.constantFrom(0n, 1n, 2n, 31n, 32n, 33n, 64n, 255n, 256n, 2n ** 64n, 2n ** 255n, 2n ** 256n - 1n),
  fc.constantFrom(...[first, second, delegated, absent].map(BigInt), 1n, 2n, 3n, 4n, 9n, 0x100n),
  fc.bigInt(0n, 600n),
  fc.bigInt(0n, 2n ** 256n - 1n),
);
/** Memory offsets. The price of memory grows quadratically. */
const place = fc.oneof({ weight: 12, arbitrary: fc.bigInt(0n, 200n) }, { weight: 1, arbitrary: word });
const address = fc.constantFrom(...[first, second, delegated, absent, sender].map(BigInt), 1n, 2n, 3n, 4n, 5n, 0x100n);
const slot = fc.bigInt(0n, 3n);

const operation = (opcode: number, ...operands: readonly fc.Arbitrary<bigint>[]) =>
  fc.tuple(...operands).map((words) => [...[...words].reverse().flatMap(push), opcode]);
const oneOf = (...opcodes: readonly number[]) => fc.constantFrom(...opcodes);
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, n) => from + n);
const small = fc.bigInt(0n, 2n);
const value = fc.oneof({ weight: 3, arbitrary: fc.constant(0n) }, { weight: 1, arbitrary: fc.bigInt(0n, 3000n) });
const gas = fc.oneof(fc.bigInt(0n, 60_000n), fc.constant(2n ** 256n - 1n));
const store = (opcodes: readonly number[]) =>
  fc.tuple(slot, small, oneOf(...opcodes)).map(([at, what, op]) => [...push(what), ...push(at), op]);
/** Init code that returns `length` bytes of memory, with a chosen first byte. */
const deploys = fc
  .tuple(oneOf(op.STOP, 0xef, op.PUSH1, op.JUMPDEST), fc.bigInt(0n, 40n))
  .map(([byte, length]) => [...push(BigInt(byte)), ...push(0n), op.MSTORE8, ...push(length), ...push(0n), op.RETURN]);

const piece: fc.Arbitrary<number[]> = fc.oneof(
  {
    weight: 8,
    arbitrary: fc
      .tuple(
        word,
        word,
        oneOf(
          ...range(op.ADD, op.SMOD),
          op.EXP,
          op.SIGNEXTEND,
          ...range(op.LT, op.EQ),
          ...range(op.AND, op.XOR),
          ...range(op.BYTE, op.SAR),
        ),
      )
      .map(([a, b, op]) => [...push(b), ...push(a), op]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(word, word, word, oneOf(op.ADDMOD, op.MULMOD))
      .map(([a, b, c, op]) => [...push(c), ...push(b), ...push(a), op]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(word, oneOf(op.ISZERO, op.NOT, op.CLZ, op.CALLDATALOAD, op.BLOBHASH))
      .map(([a, op]) => [...push(a), op]),
  },
  {
    weight: 4,
    arbitrary: oneOf(
      ...range(op.ADDRESS, op.ADDRESS),
      op.ORIGIN,
      op.CALLER,
      op.CALLVALUE,
      op.CALLDATASIZE,
      op.CODESIZE,
      op.GASPRICE,
      op.RETURNDATASIZE,
      ...range(op.COINBASE, op.BASEFEE),
      op.BLOBBASEFEE,
      op.PC,
      op.MSIZE,
      op.GAS,
      op.PUSH0,
    ).map((op) => [op]),
  },
  {
    weight: 3,
    arbitrary: fc.tuple(address, oneOf(op.BALANCE, op.EXTCODESIZE, op.EXTCODEHASH)).map(([a, op]) => [...push(a), op]),
  },
  { weight: 4, arbitrary: oneOf(...range(op.DUP1, op.SWAP16), op.POP, op.JUMPDEST).map((op) => [op]) },
  { weight: 3, arbitrary: operation(op.MSTORE, place, word) },
  { weight: 2, arbitrary: operation(op.MSTORE8, place, word) },
  { weight: 2, arbitrary: operation(op.MLOAD, place) },
  { weight: 2, arbitrary: operation(op.KECCAK256, place, place) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(place, place, place, oneOf(op.CALLDATACOPY, op.CODECOPY, op.RETURNDATACOPY, op.MCOPY))
      .map(([a, b, c, op]) => [...push(c), ...push(b), ...push(a), op]),
  },
  { weight: 1, arbitrary: operation(op.EXTCODECOPY, address, place, place, place) },
  { weight: 4, arbitrary: fc.tuple(slot, oneOf(op.SLOAD, op.TLOAD)).map(([at, op]) => [...push(at), op]) },
  { weight: 5, arbitrary: store([op.SSTORE, op.SSTORE, op.TSTORE]) },
  { weight: 1, arbitrary: operation(op.BLOCKHASH, fc.bigInt(0n, 1100n)) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(place, place, oneOf(op.LOG0, op.LOG1, op.LOG2))
      .map(([at, length, op]) => [...push(7n), ...push(8n), ...push(length), ...push(at), op]),
  },
  { weight: 3, arbitrary: operation(op.CALL, gas, address, value, place, place, place, place) },
  { weight: 2, arbitrary: operation(op.CALLCODE, gas, address, value, place, place, place, place) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.tuple(gas, address), fc.tuple(place, place, place, place), oneOf(op.DELEGATECALL, op.STATICCALL))
      .map(([[g, to], places, op]) => [...[...places].reverse().flatMap(push), ...push(to), ...push(g), op]),
  },
  {
    weight: 2,
    arbitrary: fc
      .tuple(deploys, value, fc.boolean())
      .map(([code, wei, isSalted]) => [
        ...push(BigInt(hex([...code, ...new Array(Math.max(0, 32 - code.length)).fill(0)].slice(0, 32)))),
        ...push(0n),
        op.MSTORE,
        ...(isSalted ? push(5n) : []),
        ...push(BigInt(code.length)),
        ...push(0n),
        ...push(wei),
        isSalted ? op.CREATE2 : op.CREATE,
      ]),
  },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(op.RETURN, op.REVERT), place, place)
      .map(([op, at, length]) => [...push(length), ...push(at), op]),
  },
  { weight: 1, arbitrary: operation(op.SELFDESTRUCT, address) },
  { weight: 1, arbitrary: fc.integer({ min: 0, max: 255 }).map((op) => [op]) },
  {
    weight: 1,
    arbitrary: fc.tuple(fc.bigInt(0n, 80n), oneOf(op.JUMP, op.JUMPI)).map(([to, op]) => [...push(1n), ...push(to), op]),
  },
);
const code = fc.array(piece, { maxLength: 24 }).map((pieces) => pieces.flat());

interface Scenario {
  readonly codes: readonly [readonly number[], readonly number[]];
  readonly data: readonly number[];
  readonly gasLimit: bigint;
  readonly value: bigint;
  readonly target: Hex | undefined;
  /** Gas between checks of a deadline, which must not affect the result. */
  readonly gasBetween: number;
}

const scenario: fc.Arbitrary<Scenario> = fc.record({
  codes: fc.tuple(code, code),
  data: fc.array(fc.integer({ min: 0, max: 255 }), { maxLength: 70 }),
  gasLimit: fc.oneof(fc.bigInt(21_000n, 60_000n), fc.bigInt(60_000n, 600_000n)),
  value: fc.constantFrom(0n, 0n, 5n),
  target: fc.constantFrom(first, first, first, delegated, undefined),
  gasBetween: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 60, max: 20_000 })),
});

async function run(
  spec: ChainSpec,
  engine: CallEngine,
  { codes, data, gasLimit, value, target }: Scenario,
  deadline?: Deadline,
  tracer?: EngineTracer,
) {
  const rules = forkRules(spec, { number: 1000n, timestamp: 1000n });
  const accounts = {
    [sender]: { balance: 10n ** 18n, nonce: 7n },
    [first]: { code: hex(codes[0]), balance: 1000n, nonce: 1n, storage: { [pad(1)]: pad(1), [pad(2)]: pad(2) } },
    [second]: { code: hex(codes[1]), balance: 500n, nonce: 1n, storage: { [pad(0)]: pad(9) } },
    [delegated]: { code: `0xef0100${second.slice(2)}` as Hex, balance: 3n },
  };
  const world = new WorldState(StateCache.of(createMemoryState(accounts)));
  const call: CallRequest = {
    from: sender,
    ...(target !== undefined && { to: target }),
    data: target === undefined ? hex(codes[0]) : hex(data),
    value,
    gasPrice: 10n,
  };
  const context = {
    rules,
    block: {
      number: 1000n,
      timestamp: 1000n,
      gasLimit: 30_000_000n,
      coinbase: `0x${'cc'.repeat(20)}` as Hex,
      difficulty: 77n,
      prevRandao: pad(88),
      ...(rules.isLondon && { baseFeePerGas: 7n }),
      ...(rules.isCancun && { blobBaseFee: 3n }),
    },
    world,
    engine,
    blockHash: (number: bigint) => pad(Number(number)),
    precompiles: { removed: new Set<Hex>(), moved: new Map<Hex, Hex>() },
  };
  try {
    const { outcome, gasUsed } = await applyMessage(context, call, { gasLimit, deadline, ...(tracer && { tracer }) });
    const { kind, output, gasRefund, logs, reason } = outcome;
    const plainLogs = logs.map(({ address, topics, data }) => ({ address, topics, data }));
    return {
      kind,
      output: hexFromBytes(output),
      gasUsed,
      gasRefund,
      logs: plainLogs,
      reason,
      state: stateOf(world, accounts),
    };
  } catch (error) {
    return { refused: String(error) };
  }
}

/** Opcodes that a tracer can choose: those that leave the frame. */
const observed: ReadonlySet<number> = new Set<number>([
  ...callOpcodes,
  op.SLOAD,
  op.SSTORE,
  op.BALANCE,
  op.EXTCODECOPY,
  op.KECCAK256,
  op.CREATE,
  op.CREATE2,
  op.RETURN,
  op.SELFDESTRUCT,
]);

/** Records frames, logs and the steps of chosen opcodes. @param choosesSteps whether the engine may skip the other steps */
function eventsTracer(choosesSteps: boolean) {
  const events: unknown[] = [];
  const tracer: EngineTracer = {
    ...(choosesSteps && { stepOpcodes: observed }),
    onStep({ opcode, pc, gas, gasCost, depth, stack, memory, refund, address, returnData, error }) {
      // Steps that fail before their price is known are reported to tracers of all steps only.
      if (!observed.has(opcode) || error !== undefined) return;
      // The start of a long memory stands for all of it: a loop may report thousands of steps.
      const bytes = [memory.subarray(0, 64), address, returnData.subarray(0, 64)].map(hexFromBytes);
      events.push({ opcode, pc, gas, gasCost, depth, stack: stack.slice(-8), refund, bytes, size: memory.length });
    },
    onEnter: ({ from, to, input, ...frame }) => events.push({ ...frame, bytes: [from, to, input].map(hexFromBytes) }),
    onExit: ({ output, ...end }) => events.push({ ...end, output: hexFromBytes(output) }),
    onLog: ({ address, topics, data }, index) => events.push({ address, topics, data, index }),
  };
  return { tracer, events };
}

const pad = (number: number): Hex => `0x${number.toString(16).padStart(64, '0')}`;

/** Accounts that exist before or after the run, with all slots that the code may have written. */
function stateOf(world: WorldState, before: Readonly<Record<string, unknown>>): readonly unknown[] {
  const changes = new Map(world.takeChanges().map((change) => [hexFromBytes(change.address), change]));
  return [...new Set([...Object.keys(before), ...changes.keys()])]
    .sort()
    .map((of) => {
      const bytes = Buffer.from(of.slice(2), 'hex');
      const account = world.getAccount(bytes);
      const slots = new Set([0, 1, 2, 3].map(pad));
      for (const [at] of changes.get(of as Hex)?.slots ?? []) slots.add(hexFromBytes(at));
      return [
        of,
        account && [account.nonce, account.balance, hexFromBytes(account.codeHash)],
        account &&
          [...slots].sort().map((at) => hexFromBytes(world.getStorage(bytes, Buffer.from(at.slice(2), 'hex')))),
      ];
    })
    .filter(([of, account]) => account !== undefined || String(of) in before);
}

describe.each(testForks)('%s', (fork) => {
  const spec = specAt(fork);
  test(`all engines agree on random code (FUZZ_SEED=${seed} FUZZ_RUNS=${numRuns})`, async () => {
    const ends = new Set<string>();
    await fc.assert(
      fc.asyncProperty(scenario, async (given) => {
        const [expected, actual] = [await run(spec, reference, given), await run(spec, interpreter, given)];
        ends.add('kind' in actual ? `${actual.kind} ${actual.reason?.replace(/\d+/g, 'n') ?? ''}` : 'refused');
        // The reference does not report which part of a creation ran out of gas.
        expect({ ...actual, reason: undefined }).toEqual({ ...expected, reason: undefined });
        for (const engine of compiled) expect(await run(spec, engine, given)).toEqual(actual);
        const deadline = { at: Number.POSITIVE_INFINITY, timeoutMs: 0, gasBetween: given.gasBetween };
        for (const engine of [interpreter, compiled[0] as CallEngine])
          expect(await run(spec, engine, given, deadline)).toEqual(actual);
        const [all, chosen] = [eventsTracer(false), eventsTracer(true)];
        for (const { tracer } of [all, chosen])
          expect({ ...(await run(spec, traced, given, undefined, tracer)), reason: undefined }).toEqual({
            ...actual,
            reason: undefined,
          });
        expect(chosen.events).toEqual(all.events);
      }),
      { seed, numRuns },
    );
    expect(ends.size).toBeGreaterThan(4);
  });
});
