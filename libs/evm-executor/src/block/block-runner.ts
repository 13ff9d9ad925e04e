import {
  type BlockOutcome,
  type BlockRun,
  type BlockRunner,
  hexFromBytes,
  logsBloomOf,
  type Receipt,
  senderOf,
  type Transaction,
} from '@cairn/block-model';
import {
  addressFromHex,
  type CallEngine,
  checkDeadline,
  type Deadline,
  forkRules,
  StateCache,
  WorldState,
} from '@cairn/evm';
import { type AppliedMessage, applyMessage, type MessageContext } from '../apply-message.ts';
import { createEngine } from '../engine/create-engine.ts';
import type { EngineName } from '../engine/engine-name.ts';
import { BlockInvalidError, CallRejectedError, TransactionInvalidError } from '../errors.ts';
import { blobGasOf, checkTransaction } from './check-transaction.ts';
import { payRewardsAndWithdrawals } from './pay-rewards-and-withdrawals.ts';
import { beginReplay, callFromTransaction, replayContext } from './replay-block.ts';
import { collectRequests } from './system-calls.ts';

/** Maximum number of uncles (Yellow Paper, section 11.1). */
const unclesMax = 2;

/**
 * Creates a runner that executes whole blocks of every fork.
 * @param engine an engine or its name. Default `compiled`
 */
export function createBlockRunner(engine: CallEngine | EngineName = 'compiled'): BlockRunner {
  const own = typeof engine === 'string' ? createEngine(engine) : engine;
  return { name: own.name, run: (run) => runBlock(run, own) };
}

export interface RunBlockOptions {
  /** World over the state. Default: a new one. */
  readonly world?: WorldState;
  /** Time at which the run ends with EXECUTION_TIMEOUT. Default: never. */
  readonly deadline?: Deadline | undefined;
}

/** Executes one block. @throws BLOCK_INVALID, TRANSACTION_INVALID, EXECUTION_TIMEOUT, and the errors of the state */
export async function runBlock(
  { spec, block, state, roots, blockHashes }: BlockRun,
  engine: CallEngine,
  { world = new WorldState(StateCache.of(state)), deadline }: RunBlockOptions = {},
): Promise<BlockOutcome> {
  const { header, transactions, uncles, withdrawals = [] } = block;
  const rules = forkRules(spec, header);
  if (uncles.length > unclesMax) throw new BlockInvalidError(`it has ${uncles.length} uncles, more than ${unclesMax}`);
  try {
    const receipts: Receipt[] = [];
    let gasUsed = 0n;
    let blobs = 0;
    const context = replayContext({ spec, block, engine, blockHashes, deadline }, world);
    await beginReplay(context, block);
    for (const transaction of transactions) {
      checkDeadline(deadline);
      checkTransaction(transaction, rules);
      const left = { blockGasLeft: header.gasLimit - gasUsed, blobsLeft: rules.blobsMax - BigInt(blobs) };
      const { outcome, gasUsed: used } = await apply(context, transaction, left);
      gasUsed += used;
      blobs += transaction.blobVersionedHashes?.length ?? 0;
      receipts.push({
        type: transaction.type,
        ...(rules.isByzantium
          ? { status: outcome.kind === 'success' }
          : { root: hexFromBytes(await roots.after(world.takeChanges())) }),
        cumulativeGasUsed: gasUsed,
        logsBloom: logsBloomOf(outcome.logs),
        logs: outcome.logs,
      });
    }
    if (rules.isCancun && header.blobGasUsed !== blobGasOf(blobs))
      throw new BlockInvalidError(`its blobGasUsed is ${header.blobGasUsed}, its transactions use ${blobGasOf(blobs)}`);
    const logs = receipts.flatMap((receipt) => receipt.logs);
    const requestsHash = rules.isPrague ? await collectRequests(context, logs) : undefined;
    payRewardsAndWithdrawals(world, header, rules, withdrawals, uncles);
    return { receipts, stateRoot: hexFromBytes(await roots.after(world.takeChanges())), requestsHash };
  } finally {
    world.release();
  }
}

/** @throws TRANSACTION_INVALID if a check of the transaction fails */
async function apply(
  context: MessageContext,
  transaction: Transaction,
  left: { readonly blockGasLeft: bigint; readonly blobsLeft: bigint },
): Promise<AppliedMessage> {
  const { gas, hash } = transaction;
  const senderCode = context.world.getCode(addressFromHex(senderOf(transaction)));
  try {
    return await applyMessage(context, callFromTransaction(transaction), {
      gasLimit: gas,
      checks: { paysBaseFee: true, followsNonce: true, transaction: { senderCode, ...left } },
      hidesPrices: false,
    });
  } catch (error) {
    if (error instanceof CallRejectedError) throw new TransactionInvalidError(hash, error.message, error);
    throw error;
  }
}
