import { bytesFromHex, headerFromJson, hexFromBytes, keccak256, parseGethGenesis } from '@cairn/block-model';
import { createMemoryState } from '@cairn/block-model/testing';
import {
  createAccessList,
  createEngine,
  estimateGas,
  executeCall,
  parseCallRequest,
  parseStateOverrides,
  parseTraceOptions,
  traceCall,
} from '@cairn/evm-executor';
import { codeOf, digits, patterned, plain } from './tools.mjs';

const zeros = (bytes) => `0x${'00'.repeat(bytes)}`;
const blobs = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 };
const blocks = [
  'homestead',
  'eip150',
  'eip155',
  'eip158',
  'byzantium',
  'constantinople',
  'petersburg',
  'istanbul',
  'berlin',
  'london',
];
const { spec } = parseGethGenesis('osaka', {
  config: {
    chainId: 1337,
    ...Object.fromEntries(blocks.map((fork) => [`${fork}Block`, 0])),
    mergeNetsplitBlock: 0,
    terminalTotalDifficulty: 0,
    shanghaiTime: 0,
    cancunTime: 0,
    pragueTime: 0,
    osakaTime: 0,
    blobSchedule: { cancun: blobs, prague: blobs, osaka: blobs },
  },
  nonce: '0x0',
  timestamp: '0x0',
  gasLimit: '0x1c9c380',
  difficulty: '0x0',
  alloc: {},
});
const header = headerFromJson({
  ...Object.fromEntries(
    [
      'parentHash',
      'sha3Uncles',
      'stateRoot',
      'transactionsRoot',
      'receiptsRoot',
      'mixHash',
      'withdrawalsRoot',
      'parentBeaconBlockRoot',
      'requestsHash',
    ].map((field) => [field, zeros(32)]),
  ),
  miner: zeros(20),
  logsBloom: zeros(256),
  difficulty: '0x0',
  number: '0x64',
  gasLimit: '0x1c9c380',
  gasUsed: '0x0',
  timestamp: '0x3e8',
  extraData: '0x',
  nonce: zeros(8),
  baseFeePerGas: '0x7',
  blobGasUsed: '0x0',
  excessBlobGas: '0x0',
});

const account = (byte) => `0x${byte.repeat(20)}`;
const contracts = {
  // Returns the Keccak-256 hash of its input.
  keccak: '0x3660006000373660002060005260206000f3',
  // Increments its slots 0 to 49 and logs.
  storage: '0x60005b805460010181556001018060321160025760006000a000',
  endless: '0x5b600056',
  invalid: '0xfe',
};
const addresses = {
  keccak: account('c1'),
  storage: account('c2'),
  endless: account('c3'),
  invalid: account('c4'),
  revert: account('c5'),
  panic: account('c6'),
};

/** Reverts with data. */
function reverting(data) {
  const length = (data.length / 2).toString(16).padStart(2, '0');
  return `0x60${length}600c60003960${length}6000fd${data}`;
}
const word = (number) => number.toString(16).padStart(64, '0');
const reason = digits(new TextEncoder().encode('Not enough €'));
const state = createMemoryState({
  ...Object.fromEntries(Object.entries(contracts).map(([name, code]) => [addresses[name], { code }])),
  [addresses.revert]: { code: reverting(`08c379a0${word(32)}${word(reason.length / 2)}${reason.padEnd(64, '0')}`) },
  [addresses.panic]: { code: reverting(`4e487b71${word(0x11)}`) },
  [account('a1')]: { balance: 10n ** 18n },
});

export async function run({ precompiles }) {
  const base = { spec, header, state, blockHashes: () => undefined };
  const call = (engine, fields) =>
    executeCall({ ...base, ...(engine && { engine: createEngine(engine) }), call: parseCallRequest(fields) });
  const results = {};
  for (const engine of [undefined, 'interpreter', 'ethereumjs']) {
    const done = {};
    for (const [name, to] of Object.entries(addresses))
      done[name] = await call(engine, { to, data: hexFromBytes(patterned(70)), gas: '0x300000' });
    for (const { name, to, data } of precompiles) done[name] = await call(engine, { to, data });
    results[engine ?? 'default'] = done;
  }
  const storage = parseCallRequest({ from: account('a1'), to: addresses.storage });
  const overrides = parseStateOverrides({ [addresses.invalid]: { code: contracts.keccak, balance: '0x5' } });
  return plain({
    results,
    keccak256: hexFromBytes(keccak256(bytesFromHex('0xcafe'))),
    gas: await estimateGas({ ...base, call: storage }),
    accessList: await createAccessList({ ...base, call: storage }),
    overridden: await executeCall({
      ...base,
      call: parseCallRequest({ to: addresses.invalid, data: '0x01' }),
      stateOverrides: overrides,
    }),
    traces: [
      (await traceCall({ ...base, call: storage }, parseTraceOptions({ tracer: 'callTracer' }))).json,
      (await traceCall({ ...base, call: storage }, parseTraceOptions({ tracer: 'prestateTracer' }))).json,
      (
        await traceCall(
          { ...base, call: parseCallRequest({ to: addresses.keccak, data: '0x01' }) },
          parseTraceOptions({}),
        )
      ).json,
    ],
    refusals: [
      await codeOf(() => call(undefined, { to: addresses.keccak, gas: '0x1' })),
      await codeOf(() => call(undefined, { to: 'nowhere' })),
    ],
  });
}
