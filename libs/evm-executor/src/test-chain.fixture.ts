import { type ChainSpec, type Header, type Hex, parseGethGenesis } from '@cairn/block-model';
import { createMemoryState, type MemoryAccount } from '@cairn/block-model/testing';
import type { CallRequest } from './call-request.ts';
import type { CallResult } from './call-result.ts';
import { type ExecuteCallOptions, executeCall } from './execute-call.ts';

/** Forks in order, with the fields that each adds to a chain configuration. */
const forks = {
  frontier: {},
  homestead: { homesteadBlock: 0 },
  tangerineWhistle: { eip150Block: 0 },
  spuriousDragon: { eip155Block: 0, eip158Block: 0 },
  byzantium: { byzantiumBlock: 0 },
  constantinople: { constantinopleBlock: 0 },
  petersburg: { petersburgBlock: 0 },
  istanbul: { istanbulBlock: 0 },
  berlin: { berlinBlock: 0 },
  london: { londonBlock: 0 },
  shanghai: { mergeNetsplitBlock: 0, terminalTotalDifficulty: 0, shanghaiTime: 0 },
  cancun: { cancunTime: 0 },
  prague: { pragueTime: 0 },
  osaka: { osakaTime: 0 },
} as const;
export type TestFork = keyof typeof forks;
export const testForks = Object.keys(forks) as TestFork[];

const blobs = { target: 6, max: 9, baseFeeUpdateFraction: 5_007_716 };

/** Chain on which all forks up to the given one are active from genesis. */
export function specAt(
  fork: TestFork,
  { chainId = 1337, cancunBlobs = blobs }: { readonly chainId?: number; readonly cancunBlobs?: typeof blobs } = {},
): ChainSpec {
  const config = Object.assign({}, ...testForks.slice(0, testForks.indexOf(fork) + 1).map((name) => forks[name]));
  return parseGethGenesis(fork, {
    config: {
      chainId,
      ...config,
      blobSchedule: { cancun: cancunBlobs, prague: blobs, osaka: blobs },
    },
    nonce: '0x0',
    timestamp: '0x0',
    extraData: '0x',
    gasLimit: '0x1c9c380',
    difficulty: '0x0',
    alloc: {},
  }).spec;
}

/** Chain on which all forks up to Osaka are active from genesis. */
export const testSpec = specAt('osaka');

const zeroHash: Hex = `0x${'00'.repeat(32)}`;

/** Block with 30 million gas and a base fee of 7 wei. */
export const testHeader: Header = {
  hash: `0x${'ab'.repeat(32)}`,
  raw: new Uint8Array(0),
  parentHash: `0x${'aa'.repeat(32)}`,
  unclesHash: zeroHash,
  miner: `0x${'cc'.repeat(20)}`,
  stateRoot: zeroHash,
  transactionsRoot: zeroHash,
  receiptsRoot: zeroHash,
  logsBloom: `0x${'00'.repeat(256)}`,
  difficulty: 0n,
  number: 100n,
  gasLimit: 30_000_000n,
  gasUsed: 0n,
  timestamp: 1_000n,
  extraData: '0x',
  mixHash: `0x${'77'.repeat(32)}`,
  nonce: '0x0000000000000000',
  baseFeePerGas: 7n,
  blobGasUsed: 0n,
  excessBlobGas: 0n,
};

export const alice: Hex = `0x${'a1'.repeat(20)}`;
export const contract: Hex = `0x${'c0'.repeat(20)}`;
export const other: Hex = `0x${'c1'.repeat(20)}`;

/** Bytecode of small contracts. */
export const codes = {
  origin: '0x325f5260205ff3',
  gas: '0x5a5f5260205ff3',
  spin: '0x5b5f56',
  /** Fills transient storage, 100 gas per slot. */
  hoard: '0x5f5b80805d600101600156',
  /** Calls itself with all gas until none is left. */
  recurse: '0x5f5f5f5f5f305af100',
  /** Increments a slot and returns its previous value. */
  count: '0x5f548060010160005560005260206000f3',
  /** Reverts with `Error("no")`. */
  refuse: `0x62461bcd60e51b5f5260206004526002602452616e6f60f01b60445260645ffd`,
  /** Calls `other` and propagates its revert. */
  relay: `0x5f5f5f5f5f73${other.slice(2)}5af1503d5f5f3e3d5ffd`,
} as const satisfies Record<string, Hex>;

export type TestCall = Partial<Omit<ExecuteCallOptions, 'call'>> & {
  readonly accounts?: Readonly<Record<Hex, MemoryAccount>>;
};

/** Executes a call on the test chain. */
export function callTest(call: CallRequest, { accounts = {}, ...options }: TestCall = {}): Promise<CallResult> {
  return executeCall({
    spec: testSpec,
    header: testHeader,
    state: createMemoryState(accounts),
    blockHashes: () => undefined,
    call,
    ...options,
  });
}

/** Executes `code` at the address `contract`. */
export function callCode(code: Hex, call: CallRequest = {}, options: TestCall = {}): Promise<CallResult> {
  const accounts = { ...options.accounts, [contract]: { ...options.accounts?.[contract], code } };
  return callTest({ to: contract, ...call }, { ...options, accounts });
}

/** Options of executeCall and similar functions for `call` on the test chain. */
export function optionsFor(call: CallRequest, accounts: Readonly<Record<Hex, MemoryAccount>> = {}): ExecuteCallOptions {
  return { spec: testSpec, header: testHeader, state: createMemoryState(accounts), blockHashes: () => undefined, call };
}
