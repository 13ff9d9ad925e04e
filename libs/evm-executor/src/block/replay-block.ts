import { type Block, type ChainSpec, type Hex, senderOf, type Transaction } from '@cairn/block-model';
import { type AppliedMessage, applyMessage, type MessageContext, type MessageOptions } from '../apply-message.ts';
import { blockEnvironment } from '../block-environment.ts';
import type { CallRequest } from '../call-request.ts';
import { type CallEngine, checkDeadline, type Deadline } from '../engine/call-engine.ts';
import type { WorldState } from '../world-state.ts';
import { beginBlock } from './system-calls.ts';

export interface ReplayBlockOptions {
  readonly spec: ChainSpec;
  readonly block: Block;
  /** The state after the parent; after the replay, that after the block's transactions. */
  readonly world: WorldState;
  /** Hashes of the block's ancestors. */
  readonly blockHashes: (number: bigint) => Hex | undefined;
  readonly engine: CallEngine;
  /** When the replay is given up. Default: never. */
  readonly deadline?: Deadline | undefined;
}

/** A transaction that is about to run. */
export interface ReplayedTransaction {
  readonly transaction: Transaction;
  readonly call: CallRequest;
  readonly context: MessageContext;
  run(options?: Pick<MessageOptions, 'tracer' | 'deadline' | 'checks'>): Promise<AppliedMessage>;
}

/**
 * Goes through the transactions of a block in order. Whoever iterates runs each; one that was not run when the next is
 * asked for runs then.
 */
export async function* replayBlock(options: ReplayBlockOptions): AsyncGenerator<ReplayedTransaction> {
  const { block } = options;
  const context = replayContext(options);
  await beginReplay(context, block);
  for (const transaction of block.transactions) {
    const call = callOf(transaction);
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

/** Where the transactions of a block run. */
export function replayContext({
  spec,
  block,
  world,
  engine,
  blockHashes,
  deadline,
}: ReplayBlockOptions): MessageContext {
  const { header } = block;
  return {
    ...blockEnvironment(spec, header),
    world,
    engine,
    blockHash: (number) => (number < header.number ? blockHashes(number) : undefined),
    precompiles: { removed: new Set(), moved: new Map() },
    deadline,
  };
}

/** What comes before the first transaction. */
export async function beginReplay(context: MessageContext, { header }: Block): Promise<void> {
  await beginBlock(context, { parentHash: header.parentHash, beaconRoot: header.parentBeaconBlockRoot });
}

/** A transaction as the message that it is. */
export function callOf(transaction: Transaction): CallRequest {
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
