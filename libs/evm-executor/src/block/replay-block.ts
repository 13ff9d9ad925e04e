import { type Block, type ChainSpec, type Hex, senderOf, type Transaction } from '@cairn/block-model';
import type { WorldState } from '@cairn/evm';
import { type CallEngine, checkDeadline, type Deadline } from '@cairn/evm';
import { type AppliedMessage, applyMessage, type MessageContext, type MessageOptions } from '../apply-message.ts';
import { blockEnvironment } from '../block-environment.ts';
import type { CallRequest } from '../call-request.ts';
import { TransactionUnsupportedError } from '../errors.ts';
import { noPrecompileChanges } from '../state-overrides.ts';
import { applyDaoFork } from './dao-fork.ts';
import { beginBlock } from './system-calls.ts';

/** Highest transaction type that is executed (EIP-7702). */
const typeMax = 4;

export interface ReplayBlockOptions {
  readonly spec: ChainSpec;
  readonly block: Block;
  /** State after the parent; the replay writes to it. */
  readonly world: WorldState;
  /** Hashes of the ancestors of the block. */
  readonly blockHashes: (number: bigint) => Hex | undefined;
  readonly engine: CallEngine;
  /** Time at which the replay ends with EXECUTION_TIMEOUT. Default: never. */
  readonly deadline?: Deadline | undefined;
}

/** Next transaction of a replay. */
export interface ReplayedTransaction {
  readonly transaction: Transaction;
  readonly call: CallRequest;
  readonly context: MessageContext;
  run(options?: Pick<MessageOptions, 'tracer' | 'deadline' | 'checks'>): Promise<AppliedMessage>;
}

/**
 * Iterates over the transactions of a block in order. The caller executes each with `run`; a transaction that it does not execute
 * is executed when the next one is requested.
 */
export async function* replayBlock(options: ReplayBlockOptions): AsyncGenerator<ReplayedTransaction> {
  const { block } = options;
  const context = replayContext(options, options.world);
  await beginReplay(context, block);
  for (const transaction of block.transactions) {
    const call = callFromTransaction(transaction);
    let applied: Promise<AppliedMessage> | undefined;
    const run: ReplayedTransaction['run'] = (how) => {
      checkDeadline(context.deadline);
      applied ??= applyMessage(context, call, { ...how, gasLimit: transaction.gas, hidesPrices: false });
      return applied;
    };
    yield { transaction, call, context, run };
    await run();
  }
}

/**
 * Context of the transactions of a block. The world is a parameter of its own: V8 makes a new shape for each object to which a
 * spread is followed by a further field, and every read of such an object misses its cache. Bench: tools/bench/peers.mjs, traces.
 */
export function replayContext(
  { spec, block, engine, blockHashes, deadline }: Omit<ReplayBlockOptions, 'world'>,
  world: WorldState,
): MessageContext {
  const { header } = block;
  const { block: environment, rules } = blockEnvironment(spec, header);
  // Fields are listed one by one: an object spread takes longer than the rest of this function.
  return {
    block: environment,
    rules,
    world,
    engine,
    blockHash: (number) => (number < header.number ? blockHashes(number) : undefined),
    precompiles: noPrecompileChanges,
    deadline,
  };
}

/**
 * Performs the state changes and system calls before the first transaction.
 * @throws TRANSACTION_UNSUPPORTED for a block with a transaction of another type
 */
export async function beginReplay(context: MessageContext, { header, transactions }: Block): Promise<void> {
  const unsupported = transactions.find(({ type }) => type > typeMax);
  if (unsupported !== undefined) throw new TransactionUnsupportedError(unsupported.hash, unsupported.type);
  applyDaoFork(context.world, context.rules.spec, header.number);
  await beginBlock(context, { parentHash: header.parentHash, beaconRoot: header.parentBeaconBlockRoot });
}

/** Converts a transaction to a message. */
export function callFromTransaction(transaction: Transaction): CallRequest {
  const { to, input, gasPrice, maxFeePerGas, maxPriorityFeePerGas, accessList } = transaction;
  const { maxFeePerBlobGas, blobVersionedHashes, authorizationList } = transaction;
  return {
    from: senderOf(transaction),
    ...(to !== null && { to }),
    gas: transaction.gas,
    nonce: transaction.nonce,
    value: transaction.value,
    data: input,
    ...(gasPrice !== undefined && { gasPrice }),
    ...(maxFeePerGas !== undefined && { maxFeePerGas }),
    ...(maxPriorityFeePerGas !== undefined && { maxPriorityFeePerGas }),
    ...(accessList && { accessList }),
    ...(maxFeePerBlobGas !== undefined && { maxFeePerBlobGas }),
    ...(blobVersionedHashes && { blobVersionedHashes }),
    ...(authorizationList && { authorizationList }),
  };
}
