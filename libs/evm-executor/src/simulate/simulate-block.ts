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
  type Receipt,
  receiptsRoot,
  type StateRoots,
  type Transaction,
  transactionsRoot,
} from '@cairn/block-model';
import { isCairnError } from '@cairn/errors';
import type { ContractGuard, WorldState } from '@cairn/evm';
import { type CallEngine, checkDeadline, type Deadline, type ForkRules, forkRules } from '@cairn/evm';
import type { MessageContext } from '../apply-message.ts';
import { payRewardsAndWithdrawals } from '../block/pay-rewards-and-withdrawals.ts';
import { beginBlock, collectRequests } from '../block/system-calls.ts';
import { SimulationError } from '../errors.ts';
import { gasPerBlob } from '../message-gas.ts';
import { applyStateOverrides } from '../state-overrides.ts';
import { draftHeader, environmentOf, type HeaderFields, headerRules } from './draft-header.ts';
import type { PlannedBlock } from './plan-blocks.ts';
import { callToJson, type SimulatedCall, simulateCall } from './simulate-call.ts';
import type { Simulation } from './simulation.ts';
import { TransferLogs } from './transfer-logs.ts';

export interface SimulateBlockOptions {
  readonly spec: ChainSpec;
  readonly world: WorldState;
  /** Applies to calls and overrides, not to system calls and payments of the block. */
  readonly guard: ContractGuard | undefined;
  readonly stateRoots: StateRoots;
  readonly engine: CallEngine;
  readonly deadline: Deadline | undefined;
  readonly block: PlannedBlock;
  readonly parent: Header;
  /** Gas left for the rest of the simulation. */
  readonly gasLeft: bigint;
  readonly simulation: Simulation;
  readonly blockHash: (number: bigint) => Hex | undefined;
}

/** Executed calls of a block, with the data that the header needs. */
interface ExecutedCalls {
  readonly calls: readonly SimulatedCall[];
  readonly receipts: readonly Receipt[];
  readonly gasUsed: bigint;
}

/**
 * Executes one block and completes its header.
 * @throws SIMULATION_GAS_EXCEEDED, SIMULATION_SYSTEM_CALL_FAILED, CALL_*, OVERRIDE_INVALID, EXECUTION_TIMEOUT, and the errors of the state
 */
export async function simulateBlock(
  options: SimulateBlockOptions,
): Promise<{ readonly header: Header; readonly json: Json }> {
  const { spec, world, block, parent, simulation } = options;
  const { blockOverrides: overrides } = block;
  const scheduled = headerRules(spec, overrides);
  const draft = draftHeader({ spec, overrides, parent, isValidated: simulation.validation === true });
  // Rules of code depend on the difficulty too, which an override can raise after the merge.
  const isMerged = draft.difficulty === 0n;
  const rules = forkRules(spec, { number: overrides.number, timestamp: overrides.time, isMerged });
  world.guard = options.guard;
  const precompiles = applyStateOverrides(world, block.stateOverrides, rules.precompiles);
  world.guard = undefined;
  const context: MessageContext = {
    rules,
    block: environmentOf(draft, scheduled, overrides.blobBaseFee),
    world,
    engine: options.engine,
    blockHash: options.blockHash,
    precompiles,
    deadline: options.deadline,
  };
  const { parentHash, parentBeaconBlockRoot: beaconRoot } = draft;
  const tracer = simulation.traceTransfers === true ? new TransferLogs() : undefined;
  const beginning = { parentHash, beaconRoot, rules: scheduled, tracer };
  const logsMade = await reportingFailures(() => beginBlock(context, beginning));
  const executed = await runCalls(context, options);
  const logs = executed.calls.flatMap((call) => (call.isSuccess ? call.logs : []));
  const requestsHash = scheduled.isPrague ? await reportingFailures(() => collectRequests(context, logs)) : undefined;
  const withdrawals = scheduled.isShanghai ? (overrides.withdrawals ?? []) : undefined;
  payRewardsAndWithdrawals(world, draft, rules, withdrawals ?? []);
  const header = await sealHeader(options, { draft, executed, requestsHash, rules: scheduled });
  return {
    header,
    json: blockJson({ header, executed, withdrawals, simulation, logsBefore: tracer?.made ?? logsMade }),
  };
}

/** Converts the failure of a system call to one of the simulation. @throws SIMULATION_SYSTEM_CALL_FAILED */
async function reportingFailures<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run();
  } catch (error) {
    if (!isCairnError(error, 'BLOCK_INVALID')) throw error;
    const hint = 'Do not override the system contracts, or override them with code that succeeds.';
    throw new SimulationError('SIMULATION_SYSTEM_CALL_FAILED', error.message, hint);
  }
}

async function runCalls(
  context: MessageContext,
  { block, guard, simulation, stateRoots, gasLeft }: SimulateBlockOptions,
): Promise<ExecutedCalls> {
  const { rules, world } = context;
  const calls: SimulatedCall[] = [];
  const receipts: Receipt[] = [];
  let gasUsed = 0n;
  for (const call of block.calls) {
    checkDeadline(context.deadline);
    world.guard = guard;
    const made = await simulateCall(context, call, { simulation, blockGasUsed: gasUsed, gasLeft: gasLeft - gasUsed });
    world.guard = undefined;
    gasUsed += made.gasUsed;
    calls.push(made);
    const { logs } = made.applied.outcome;
    receipts.push({
      type: made.transaction.type,
      ...(rules.isByzantium
        ? { status: made.isSuccess }
        : { root: hexFromBytes(await stateRoots.after(world.takeChanges())) }),
      cumulativeGasUsed: gasUsed,
      logsBloom: logsBloomOf(logs),
      logs,
    });
  }
  return { calls, receipts, gasUsed };
}

interface SealOptions {
  readonly draft: HeaderFields;
  readonly executed: ExecutedCalls;
  readonly requestsHash: Hex | undefined;
  /** Rules of the header's fork. */
  readonly rules: ForkRules;
}

async function sealHeader(
  { world, stateRoots }: SimulateBlockOptions,
  { draft, executed: { calls, receipts, gasUsed }, requestsHash, rules }: SealOptions,
): Promise<Header> {
  const transactions = calls.map(({ transaction }) => transaction);
  return makeHeader({
    ...draft,
    stateRoot: hexFromBytes(await stateRoots.after(world.takeChanges())),
    transactionsRoot: transactionsRoot(transactions),
    receiptsRoot: receiptsRoot(receipts),
    logsBloom: logsBloomOf(receipts.flatMap(({ logs }) => logs)),
    gasUsed,
    ...(rules.isCancun && { blobGasUsed: blobGasOf(transactions) }),
    ...(requestsHash && { requestsHash }),
  });
}

interface BlockJsonParts {
  readonly header: Header;
  readonly executed: ExecutedCalls;
  readonly withdrawals: PlannedBlock['blockOverrides']['withdrawals'];
  readonly simulation: Simulation;
  /** Logs of the system calls; like in geth, they count for log indexes. */
  readonly logsBefore: number;
}

function blockJson({ header, executed: { calls }, withdrawals, simulation, logsBefore }: BlockJsonParts): Json {
  const transactions = calls.map(({ transaction }) => transaction);
  const body = { header, transactions, uncles: [], ...(withdrawals && { withdrawals }) };
  let logIndex = logsBefore;
  const callsJson = calls.map((call, index) => {
    const json = callToJson(call, { header, index, logIndex });
    logIndex += call.logsMade;
    return json;
  });
  const json = blockToJson(
    { ...body, size: encodeBlock(body).length },
    { full: simulation.returnFullTransactions === true },
  );
  return { ...json, calls: callsJson };
}

function blobGasOf(transactions: readonly Transaction[]): bigint {
  return (
    transactions.reduce((sum, { blobVersionedHashes = [] }) => sum + BigInt(blobVersionedHashes.length), 0n) *
    gasPerBlob
  );
}
