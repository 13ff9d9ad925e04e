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
import { addressFromHex } from '../addresses.ts';
import { type AppliedMessage, applyMessage, type MessageContext } from '../apply-message.ts';
import { type CallEngine, checkDeadline, type Deadline } from '../engine/call-engine.ts';
import { createEngine } from '../engine/create-engine.ts';
import type { EngineName } from '../engine/engine-name.ts';
import { BlockInvalidError, CallRejectedError, TransactionInvalidError } from '../errors.ts';
import { forkRules } from '../fork-rules.ts';
import { StateCache } from '../state-cache.ts';
import { WorldState } from '../world-state.ts';
import { blobGasOf, checkTransaction } from './check-transaction.ts';
import { payBlock } from './pay-block.ts';
import { beginReplay, callOf, replayContext } from './replay-block.ts';
import { collectRequests } from './system-calls.ts';

/** Ommers of a block at most (Yellow Paper, section 11.1). */
const unclesMax = 2;

/**
 * What executes whole blocks on an engine of ours, of every fork. What The DAO's holders got back in mainnet's block
 * 1,920,000 is not in here.
 * @param engine an engine, or the name of one; default: the compiled one
 */
export function createBlockRunner(engine: CallEngine | EngineName = 'compiled'): BlockRunner {
  const own = typeof engine === 'string' ? createEngine(engine) : engine;
  return { name: own.name, run: (run) => runBlock(run, own) };
}

export interface RunBlockOptions {
  /** Over the state, made by the caller. */
  readonly world?: WorldState;
  /** When the run is given up. Default: never. */
  readonly deadline?: Deadline | undefined;
}

/** As {@link createBlockRunner}. @throws EXECUTION_TIMEOUT at the deadline */
export async function runBlock(
  { spec, block, state, roots, blockHashes }: BlockRun,
  engine: CallEngine,
  { world = new WorldState(StateCache.of(state)), deadline }: RunBlockOptions = {},
): Promise<BlockOutcome> {
  const { header, transactions, uncles, withdrawals = [] } = block;
  const rules = forkRules(spec, header);
  if (uncles.length > unclesMax) throw new BlockInvalidError(`it has ${uncles.length} uncles`);
  try {
    const receipts: Receipt[] = [];
    let gasUsed = 0n;
    let blobs = 0;
    const context = replayContext({ spec, block, world, engine, blockHashes, deadline });
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
      throw new BlockInvalidError(
        `its blobGasUsed is ${header.blobGasUsed}, its transactions have ${blobGasOf(blobs)}`,
      );
    const logs = receipts.flatMap((receipt) => receipt.logs);
    const requestsHash = rules.isPrague ? await collectRequests(context, logs) : undefined;
    payBlock(world, header, rules, withdrawals, uncles);
    return { receipts, stateRoot: hexFromBytes(await roots.after(world.takeChanges())), requestsHash };
  } finally {
    world.release();
  }
}

/** @throws TRANSACTION_INVALID where it cannot begin */
async function apply(
  context: MessageContext,
  transaction: Transaction,
  left: { readonly blockGasLeft: bigint; readonly blobsLeft: bigint },
): Promise<AppliedMessage> {
  const { gas, hash } = transaction;
  const senderCode = context.world.getCode(addressFromHex(senderOf(transaction)));
  try {
    return await applyMessage(context, callOf(transaction), {
      gasLimit: gas,
      checks: { paysBaseFee: true, followsNonce: true, transaction: { senderCode, ...left } },
      hidesPrices: false,
    });
  } catch (error) {
    if (error instanceof CallRejectedError) throw new TransactionInvalidError(hash, error.message, error);
    throw error;
  }
}
