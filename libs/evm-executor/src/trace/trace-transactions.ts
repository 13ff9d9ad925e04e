import type { Hex, StateReader } from '@cairn/block-model';
import type { WorldState } from '@cairn/evm';
import type { AppliedMessage } from '../apply-message.ts';
import { type ReplayBlockOptions, replayBlock } from '../block/replay-block.ts';
import type { CallChecks } from '../check-message.ts';
import { traceDeadline } from './trace-deadline.ts';
import { withTraceRejections } from './trace-errors.ts';
import type { TraceOptions } from './trace-options.ts';
import type { TransactionTracer } from './transaction-tracer.ts';

export interface TraceBlockOptions extends Omit<ReplayBlockOptions, 'world'> {
  /** State after the parent. */
  readonly state: StateReader;
  readonly options: TraceOptions;
  /** Index of the only transaction to trace. Its trace is returned alone, not in a list. */
  readonly index?: number;
  /** Length of a trace above which GasBudgetExceeded is thrown, for work that should be light. Default: no limit of its own. */
  readonly lightCharactersMax?: number;
  /** Checks of the transactions. Default: none, which suits a verified block. */
  readonly checks?: CallChecks;
}

/** A transaction with its tracer, after its execution. */
export interface TracedTransaction<Tracer> {
  readonly hash: Hex;
  readonly tracer: Tracer;
  readonly applied: AppliedMessage;
  /** Gas of this transaction and of all before it. */
  readonly gasSoFar: bigint;
}

/**
 * Executes the transactions of a block and yields those that are traced, in order.
 * @throws CALL_* if `checks` fail, EXECUTION_TIMEOUT, the errors of the tracer and of the state
 */
export async function* traceTransactions<Tracer extends TransactionTracer>(
  { options, index, checks, ...replay }: Omit<TraceBlockOptions, 'state'> & { readonly world: WorldState },
  create: () => Tracer,
): AsyncGenerator<TracedTransaction<Tracer>> {
  const { hash: blockHash, number: blockNumber } = replay.block.header;
  let at = 0;
  let logsBefore = 0;
  let gasSoFar = 0n;
  for await (const { transaction, call, context, run } of replayBlock(replay)) {
    const position = at++;
    if (index !== undefined && position !== index) {
      const applied = await run();
      logsBefore += applied.outcome.logs.length;
      gasSoFar += applied.gasUsed;
      continue;
    }
    const { hash } = transaction;
    const tracer = create();
    const place = { blockHash, blockNumber, hash, index: position };
    tracer.begin?.({ context, call, gasLimit: transaction.gas, logsBefore, place });
    const applied = await withTraceRejections(() =>
      run({ tracer, deadline: traceDeadline(options, context.deadline), ...(checks && { checks }) }),
    );
    gasSoFar += applied.gasUsed;
    logsBefore += applied.outcome.logs.length;
    yield { hash, tracer, applied, gasSoFar };
    if (index !== undefined) return;
  }
}
