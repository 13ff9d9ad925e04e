// Requests of the traces area: random calls with overrides, transactions and blocks of the chain, and every tracer with its options.
import { asHex, program } from './programs.mjs';

export const quantity = (value) => `0x${BigInt(value).toString(16)}`;
const contracts = [1, 2, 3, 4].map((index) => `0x${'c0de'.repeat(9)}000${index}`);
const absent = `0x${'ab'.repeat(20)}`;
const precompiles = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 17, 0x100].map(
  (at) => `0x${at.toString(16).padStart(40, '0')}`,
);

/** Options of a trace. */
export function traceConfig(random) {
  const tracer = random.pick(tracers);
  if (tracer === undefined)
    return {
      enableMemory: random.chance(0.5),
      enableReturnData: random.chance(0.5),
      disableStack: random.chance(0.3),
      disableStorage: random.chance(0.3),
      ...(random.chance(0.2) && { limit: random.pick([-1, 1, 300, 5000]) }),
    };
  return { tracer, ...(random.chance(0.8) && { tracerConfig: tracerConfig(tracer, random) }) };
}

const tracers = [
  ...[undefined, undefined, 'callTracer', 'callTracer', 'flatCallTracer', 'prestateTracer', 'prestateTracer'],
  ...['4byteTracer', 'noopTracer', 'keccak256PreimageTracer', 'erc7562Tracer', 'muxTracer'],
  ...['callTracerLegacy', 'prestateTracerLegacy', '4byteTracerLegacy'],
  ...['opcountTracer', 'unigramTracer', 'bigramTracer', 'trigramTracer'],
];

function tracerConfig(tracer, random) {
  const flags = (...names) => Object.fromEntries(random.some(names).map((name) => [name, true]));
  switch (tracer) {
    case 'callTracer':
      return flags('withLog', 'onlyTopCall');
    case 'flatCallTracer':
      return flags('convertParityErrors', 'includePrecompiles');
    case 'prestateTracer': {
      const chosen = flags('diffMode', 'disableCode', 'disableStorage');
      return random.chance(0.3) ? { ...chosen, includeEmpty: true } : chosen;
    }
    case 'erc7562Tracer':
      return {
        ...flags('withLog'),
        ...(random.chance(0.3) && { ignoredOpcodes: ['0x1', '0x60', '0x54'] }),
        ...(random.chance(0.3) && { stackTopItemsSize: random.integer(1, 5) }),
      };
    case 'muxTracer':
      return { callTracer: { withLog: true }, prestateTracer: {}, '4byteTracer': null };
    default:
      return {};
  }
}

/** Accounts with random code. */
function overrides(random, addresses) {
  return Object.fromEntries(
    contracts.map((address) => [
      address,
      {
        code: random.chance(0.05) ? `0xef0100${random.pick(addresses).slice(2)}` : asHex(program(random, addresses)),
        balance: quantity(random.pick([0, 4, 1000])),
        ...(random.chance(0.5) && {
          stateDiff: {
            [`0x${'00'.repeat(31)}0${random.integer(0, 3)}`]: `0x${'00'.repeat(31)}0${random.integer(1, 3)}`,
          },
        }),
      },
    ]),
  );
}

/** A call of random programs at a random height, which also chooses the fork. */
export function callRequest(random, { accounts, heads }) {
  const addresses = [...contracts, ...contracts, ...precompiles, absent, random.pick(accounts)];
  const to = random.chance(0.12) ? undefined : random.pick(random.chance(0.9) ? contracts : addresses);
  const call = {
    from: random.chance(0.9) ? `0x${'a1'.repeat(20)}` : random.pick(accounts),
    ...(to && { to }),
    gas: quantity(random.pick([30_000, 60_000, 200_000, 200_000, 1_000_000, 1_000_000, 5_000_000])),
    ...(random.chance(0.3) && { value: quantity(random.integer(0, 9)) }),
    data: to ? asHex(random.bytes(random.integer(0, 70))) : asHex(program(random, addresses)),
  };
  const config = {
    ...traceConfig(random),
    stateOverrides: { ...overrides(random, addresses), [`0x${'a1'.repeat(20)}`]: { balance: quantity(10n ** 18n) } },
    ...(random.chance(0.1) && { txIndex: quantity(random.integer(0, 3)) }),
  };
  const block = random.chance(0.4) ? heads : random.integer(1, heads);
  if (block > heads - 5 && random.chance(0.2)) config.blockOverrides = { number: quantity(random.integer(block, 60)) };
  // The same without a tracer, which runs on another engine: compares its error texts.
  if (random.chance(0.15)) return { method: 'eth_call', params: [call, quantity(block), config.stateOverrides] };
  return { method: 'debug_traceCall', params: [call, quantity(block), config] };
}

/** Debug methods that report state without execution. */
export function stateRequest(random, { accounts, blocks, heads }) {
  const block = random.pick(blocks);
  const [one, other] = [random.integer(0, heads + 1), random.integer(0, heads + 1)];
  const choice = random.integer(0, 3);
  if (choice === 3)
    return { method: 'debug_executionWitness', params: [random.chance(0.5) ? block.hash : quantity(one)] };
  if (choice === 0) {
    const start = random.pick(['0x', '0x', `0x${'00'.repeat(32)}`, '0x80', asHex(random.bytes(32))]);
    const index = random.pick([0, 0, 0, 1, 2, 7, -1]);
    const params = [
      random.chance(0.5) ? block.hash : quantity(one),
      index,
      random.pick(accounts),
      start,
      random.integer(0, 5),
    ];
    return { method: 'debug_storageRangeAt', params };
  }
  if (choice === 1)
    return { method: 'debug_getModifiedAccountsByNumber', params: random.chance(0.5) ? [one] : [one, other] };
  const params = random.chance(0.5) ? [block.hash] : [block.hash, random.pick(blocks).hash];
  return { method: 'debug_getModifiedAccountsByHash', params };
}
