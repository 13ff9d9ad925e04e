import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { decodeTransaction, type GenesisAccount, type Hex, parseGethGenesis, senderOf } from '@cairn/block-model';
import { conformanceDirectory, createMemoryState, type MemoryAccount } from '@cairn/block-model/testing';
import { forkRules, StateCache, WorldState } from '@cairn/evm';
import { applyMessage } from '../apply-message.ts';
import { callFromTransaction } from '../block/replay-block.ts';
import type { BlockEnvironment } from '../block-environment.ts';
import { createEngine } from '../engine/create-engine.ts';
import { createTracer } from './create-tracer.ts';
import { parseTraceOptions } from './trace-options.ts';

/** One case of geth's tracer tests. */
export interface RecordedTrace {
  readonly name: string;
  readonly expected: unknown;
  /** Traces the transaction with the tracer of that name. */
  run(tracer: string): Promise<unknown>;
}

interface CaseFile {
  readonly genesis: Readonly<Record<string, unknown>> & {
    readonly config: Readonly<Record<string, unknown>>;
    readonly alloc: Readonly<Record<string, GenesisAccount>>;
  };
  readonly context: Readonly<Record<string, string>>;
  readonly input: string;
  readonly tracerConfig?: unknown;
  readonly result: unknown;
}

const directory = join(conformanceDirectory, 'tracers');

/** Cases of a folder. */
export function recordedTraces(folder: string): RecordedTrace[] {
  const files = readdirSync(join(directory, folder)).filter((file) => file.endsWith('.json'));
  return files.sort().map((file) => {
    const recorded: CaseFile = JSON.parse(readFileSync(join(directory, folder, file), 'utf8'));
    return { name: `${folder}/${file}`, expected: recorded.result, run: (tracer) => runCase(recorded, tracer) };
  });
}

async function runCase({ genesis, context, input, tracerConfig }: CaseFile, tracer: string): Promise<unknown> {
  const { spec } = parseGethGenesis('trace', {
    gasLimit: '0x0',
    timestamp: '0x0',
    ...genesis,
    nonce: '0x0',
    alloc: {},
  });
  const number = BigInt(context.number ?? 0);
  const timestamp = BigInt(context.timestamp ?? 0);
  const rules = forkRules(spec, { number, timestamp });
  const isMerged = genesis.config.terminalTotalDifficulty === 0;
  const block: BlockEnvironment = {
    number,
    timestamp,
    gasLimit: BigInt(context.gasLimit ?? 0),
    coinbase: hex(context.miner).toLowerCase() as Hex,
    difficulty: BigInt(context.difficulty ?? 0),
    prevRandao: isMerged ? hex(String(genesis.mixHash)) : `0x${'00'.repeat(32)}`,
    ...(rules.isLondon && { baseFeePerGas: BigInt(context.baseFeePerGas ?? 0) }),
    ...(rules.isCancun && { blobBaseFee: 1n }),
  };
  const world = new WorldState(StateCache.of(createMemoryState(accountsOf(genesis.alloc))));
  const place = { rules, block, world, engine: createEngine(), blockHash: () => undefined };
  const messageContext = { ...place, precompiles: { removed: new Set<Hex>(), moved: new Map<Hex, Hex>() } };
  const transaction = decodeTransaction(Buffer.from(hex(input).slice(2), 'hex'));
  const call = { ...callFromTransaction(transaction), from: senderOf(transaction) };
  const gasLimit = transaction.gas;
  const listener = createTracer(parseTraceOptions({ tracer, tracerConfig }));
  listener.begin?.({ context: messageContext, call, gasLimit, logsBefore: 0 });
  const applied = await applyMessage(messageContext, call, { gasLimit, hidesPrices: false, tracer: listener });
  return JSON.parse(listener.result(applied));
}

function accountsOf(alloc: CaseFile['genesis']['alloc']): Readonly<Record<Hex, MemoryAccount>> {
  const entries = Object.entries(alloc).map(([address, { balance, nonce, code, storage }]): [Hex, MemoryAccount] => [
    hex(address).toLowerCase() as Hex,
    {
      balance: BigInt(balance),
      nonce: BigInt(nonce ?? 0),
      ...(code !== undefined && code !== '0x' && { code: hex(code) }),
      storage: Object.fromEntries(
        Object.entries(storage ?? {}).map(([slot, value]) => [padded(slot), padded(value)] as const),
      ),
    },
  ]);
  return Object.fromEntries(entries);
}

const hex = (text = ''): Hex => (text.startsWith('0x') ? (text as Hex) : `0x${text}`);
const padded = (word: string): Hex => `0x${word.replace(/^0x/, '').padStart(64, '0')}`;

type Fields = Readonly<Record<string, unknown>>;

/**
 * Normalizes a trace, since geth's tests decode recordings before they compare them. Removes from flat traces empty fields of other
 * kinds of frames and the position of the transaction, which those tests do not compare. Adds a missing index of a first log.
 */
export function comparable(trace: unknown): unknown {
  if (Array.isArray(trace)) return trace.map((frame) => comparableFlat(frame));
  return withLogIndexes(trace as Fields);
}

function comparableFlat(frame: Fields): Fields {
  const { blockHash, blockNumber, transactionHash, transactionPosition, time, ...rest } = frame;
  return { ...rest, action: withoutEmpty(rest.action), result: withoutEmpty(rest.result ?? {}) };
}

function withoutEmpty(fields: unknown): Fields {
  const isEmpty = (name: string, value: unknown) =>
    value === `0x${'00'.repeat(20)}` ||
    (name === 'balance' && value === '0x0') ||
    (name === 'output' && value === '0x');
  return Object.fromEntries(Object.entries(fields as Fields).filter(([name, value]) => !isEmpty(name, value)));
}

function withLogIndexes(frame: Fields): Fields {
  const { logs, calls } = frame;
  return {
    ...frame,
    ...(Array.isArray(logs) && { logs: logs.map((log: Fields) => ({ index: '0x0', ...log })) }),
    ...(Array.isArray(calls) && { calls: calls.map((call: Fields) => withLogIndexes(call)) }),
  };
}
