import {
  blockToJson,
  type ChainSpec,
  encodeBlock,
  type Header,
  type Hex,
  hexFromBytes,
  type Json,
  logsBloomOf,
  makeHeader,
  nextBaseFee,
  type Receipt,
  receiptsRoot,
  type StateRoots,
  type Transaction,
  transactionsRoot,
  unclesHash,
  withdrawalsRoot,
} from '@cairn/block-model';
import type { MessageContext } from '../apply-message.ts';
import { payBlock } from '../block/pay-block.ts';
import { beginBlock, collectRequests } from '../block/system-calls.ts';
import { type BlockEnvironment, blobBaseFeeAt, nextExcessBlobGas } from '../block-environment.ts';
import type { CallEngine } from '../engine/call-engine.ts';
import { type ForkRules, forkRules } from '../fork-rules.ts';
import { applyStateOverrides } from '../state-overrides.ts';
import { gasPerBlob } from '../transaction-rules.ts';
import type { WorldState } from '../world-state.ts';
import type { PlannedBlock } from './plan-blocks.ts';
import { callToJson, type SimulatedCall, simulateCall } from './simulate-call.ts';
import type { Simulation } from './simulation.ts';

export interface SimulateBlockOptions {
  readonly spec: ChainSpec;
  readonly world: WorldState;
  readonly stateRoots: StateRoots;
  readonly engine: CallEngine;
  readonly block: PlannedBlock;
  readonly parent: Header;
  /** Of the block that the simulation follows: those can be moved. */
  readonly precompiles: readonly Hex[];
  /** What all transactions that are left may use together. */
  readonly gasLeft: bigint;
  readonly simulation: Simulation;
  readonly blockHash: (number: bigint) => Hex | undefined;
}

const zeros32: Hex = `0x${'00'.repeat(32)}`;
const initialBaseFee = 1_000_000_000n;

/** Runs one block and seals it. */
export async function simulateBlock(
  options: SimulateBlockOptions,
): Promise<{ readonly header: Header; readonly json: Json }> {
  const { spec, world, block, parent, simulation } = options;
  const { blockOverrides: overrides } = block;
  const rules = forkRules(spec, { number: overrides.number, timestamp: overrides.time });
  const draft = draftHeader(options, rules);
  const context: MessageContext = {
    rules,
    block: environmentOf(draft, rules, overrides.blobBaseFee),
    world,
    engine: options.engine,
    blockHash: options.blockHash,
    precompiles: applyStateOverrides(world, block.stateOverrides, options.precompiles),
  };
  await beginBlock(context, { parentHash: parent.hash, beaconRoot: draft.parentBeaconBlockRoot });

  const calls: SimulatedCall[] = [];
  const receipts: Receipt[] = [];
  let gasUsed = 0n;
  for (const call of block.calls) {
    const made = await simulateCall(context, call, {
      simulation,
      blockGasUsed: gasUsed,
      gasLeft: options.gasLeft - gasUsed,
    });
    gasUsed += made.gasUsed;
    calls.push(made);
    const { logs } = made.applied.outcome;
    receipts.push({
      type: made.transaction.type,
      ...(rules.isByzantium
        ? { status: made.isSuccess }
        : { root: hexFromBytes(await options.stateRoots.after(world.takeChanges())) }),
      cumulativeGasUsed: gasUsed,
      logsBloom: logsBloomOf(logs),
      logs,
    });
  }
  const requestsHash = rules.isPrague
    ? await collectRequests(
        context,
        calls.flatMap(({ logs }) => logs),
      )
    : undefined;
  payBlock(world, draft, rules, overrides.withdrawals ?? []);

  const transactions = calls.map(({ transaction }) => transaction);
  const header = makeHeader({
    ...draft,
    stateRoot: hexFromBytes(await options.stateRoots.after(world.takeChanges())),
    transactionsRoot: transactionsRoot(transactions),
    receiptsRoot: receiptsRoot(receipts),
    logsBloom: logsBloomOf(receipts.flatMap(({ logs }) => logs)),
    gasUsed,
    ...(rules.isCancun && { blobGasUsed: blobGasOf(transactions) }),
    ...(requestsHash && { requestsHash }),
  });
  const withdrawals = draft.withdrawalsRoot === undefined ? undefined : (overrides.withdrawals ?? []);
  const body = { header, transactions, uncles: [], ...(withdrawals && { withdrawals }) };
  let logIndex = 0;
  const callsJson = calls.map((call, index) => {
    const json = callToJson(call, { header, index, logIndex });
    logIndex += call.logsMade;
    return json;
  });
  const json = blockToJson(
    { ...body, size: encodeBlock(body).length },
    { full: simulation.returnFullTransactions === true },
  );
  return { header, json: { ...json, calls: callsJson } };
}

type HeaderFields = Omit<Header, 'hash' | 'raw'>;

/** The header before anything has run. */
function draftHeader({ block, parent, simulation }: SimulateBlockOptions, rules: ForkRules): HeaderFields {
  const { blockOverrides: overrides } = block;
  const baseFee = simulation.validation === true ? (nextBaseFee(parent) ?? initialBaseFee) : 0n;
  return {
    parentHash: parent.hash,
    unclesHash: unclesHash([]),
    miner: overrides.feeRecipient ?? parent.miner,
    stateRoot: zeros32,
    transactionsRoot: zeros32,
    receiptsRoot: zeros32,
    logsBloom: logsBloomOf([]),
    difficulty: overrides.difficulty ?? parent.difficulty,
    number: overrides.number,
    gasLimit: overrides.gasLimit ?? parent.gasLimit,
    gasUsed: 0n,
    timestamp: overrides.time,
    extraData: '0x',
    mixHash: overrides.prevRandao ?? zeros32,
    nonce: '0x0000000000000000',
    ...(rules.isLondon && { baseFeePerGas: overrides.baseFeePerGas ?? baseFee }),
    ...(rules.isShanghai && { withdrawalsRoot: withdrawalsRoot(overrides.withdrawals ?? []) }),
    ...(rules.isCancun && {
      blobGasUsed: 0n,
      excessBlobGas: nextExcessBlobGas(parent, rules),
      parentBeaconBlockRoot: overrides.beaconRoot ?? zeros32,
    }),
  };
}

function environmentOf(header: HeaderFields, rules: ForkRules, blobBaseFee: bigint | undefined): BlockEnvironment {
  const { number, timestamp, gasLimit, difficulty, baseFeePerGas } = header;
  return {
    number,
    timestamp,
    gasLimit,
    difficulty,
    coinbase: header.miner,
    prevRandao: header.mixHash,
    ...(baseFeePerGas !== undefined && { baseFeePerGas }),
    ...(rules.isCancun && { blobBaseFee: blobBaseFee ?? blobBaseFeeAt(header.excessBlobGas ?? 0n, rules) }),
  };
}

function blobGasOf(transactions: readonly Transaction[]): bigint {
  return (
    transactions.reduce((sum, { blobVersionedHashes = [] }) => sum + BigInt(blobVersionedHashes.length), 0n) *
    gasPerBlob
  );
}
