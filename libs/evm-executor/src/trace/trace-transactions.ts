import type { Hex, StateReader, Transaction } from '@cairn/block-model';
import { type Awaitable, checkDeadline, finishing, StateCache, type WorldState, whenDone } from '@cairn/evm';
import { type AppliedMessage, applyMessageNow, type MessageContext } from '../apply-message.ts';
import { beginReplay, callFromTransaction, type ReplayBlockOptions, replayContext } from '../block/replay-block.ts';
import type { CallRequest } from '../call-request.ts';
import type { CallChecks } from '../check-message.ts';
import type { ReplayStart, ReplayStarts } from './replay-starts.ts';
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
  /** States within verified blocks on `state`, for traces of several transactions of a block. Default: each trace replays the block. */
  readonly starts?: ReplayStarts | undefined;
}

/** A transaction with its tracer, after its execution. */
export interface TracedTransaction<Tracer> {
  readonly hash: Hex;
  readonly tracer: Tracer;
  readonly applied: AppliedMessage;
  /** Gas of this transaction and of all before it. */
  readonly gasSoFar: bigint;
}

export interface TraceVisitor<Tracer> {
  createWorld(cache: StateCache): WorldState;
  createTracer(): Tracer;
  /** Called after each traced transaction, in order. */
  onTraced(traced: TracedTransaction<Tracer>): void;
}

/** Messages of traced transactions: each trace of their block needs them. */
const calls = new WeakMap<Transaction, CallRequest>();

function callOf(transaction: Transaction): CallRequest {
  let call = calls.get(transaction);
  if (call === undefined) {
    call = callFromTransaction(transaction);
    calls.set(transaction, call);
  }
  return call;
}

/**
 * Executes the transactions of a block and visits those that are traced.
 * @throws CALL_* if `checks` fail, EXECUTION_TIMEOUT, the errors of the tracer, the visitor and the state
 */
export function traceTransactions<Tracer extends TransactionTracer>(
  options: TraceBlockOptions,
  visitor: TraceVisitor<Tracer>,
): Awaitable<void> {
  const { block, index, starts } = options;
  const start = starts?.find(block.header.hash, index ?? 0);
  return start !== undefined && start.index === index
    ? traceAtStart(options, visitor, start)
    : traceAfterStart(options, visitor, start);
}

/** Executes the transaction of a kept start. */
function traceAtStart<Tracer extends TransactionTracer>(
  options: TraceBlockOptions,
  visitor: TraceVisitor<Tracer>,
  { state, index: at, logs, gasUsed }: ReplayStart,
): Awaitable<void> {
  const transaction = options.block.transactions[at] as Transaction;
  const world = visitor.createWorld(StateCache.of(state));
  return finishing(
    () => {
      const context = replayContext(options, world);
      checkDeadline(context.deadline);
      return whenDone(traceOne({ options, context, visitor, transaction, at, logs, gasUsed }), () => {});
    },
    () => world.release(),
  );
}

/** Executes the transactions from a kept start on, or all transactions. */
async function traceAfterStart<Tracer extends TransactionTracer>(
  options: TraceBlockOptions,
  visitor: TraceVisitor<Tracer>,
  start: ReplayStart | undefined,
): Promise<void> {
  const { block, index, starts } = options;
  const base = start?.state ?? options.state;
  const world = visitor.createWorld(StateCache.of(base));
  try {
    const context = replayContext(options, world);
    if (start === undefined) await beginReplay(context, block);
    let logs = start?.logs ?? 0;
    let gasUsed = start?.gasUsed ?? 0n;
    for (let at = start?.index ?? 0; at < block.transactions.length; at++) {
      const transaction = block.transactions[at] as Transaction;
      const isTraced = index === undefined || at === index;
      if (starts !== undefined && at === (index ?? 0))
        starts.keep(block.header.hash, world, base, { index: at, gasUsed, logs });
      checkDeadline(context.deadline);
      const applied = isTraced
        ? await traceOne({ options, context, visitor, transaction, at, logs, gasUsed })
        : await applyMessageNow(context, callOf(transaction), { gasLimit: transaction.gas, hidesPrices: false });
      if (at === index) return;
      logs += applied.outcome.logs.length;
      gasUsed += applied.gasUsed;
    }
  } finally {
    world.release();
  }
}

function traceOne<Tracer extends TransactionTracer>({
  options: { block, options, checks },
  context,
  visitor,
  transaction,
  at,
  logs,
  gasUsed,
}: {
  readonly options: TraceBlockOptions;
  readonly context: MessageContext;
  readonly visitor: TraceVisitor<Tracer>;
  readonly transaction: Transaction;
  readonly at: number;
  readonly logs: number;
  readonly gasUsed: bigint;
}): Awaitable<AppliedMessage> {
  const { hash, gas: gasLimit } = transaction;
  const call = callOf(transaction);
  const tracer = visitor.createTracer();
  const { hash: blockHash, number: blockNumber } = block.header;
  const place = { blockHash, blockNumber, hash, index: at };
  tracer.begin?.({ context, call, gasLimit, logsBefore: logs, place });
  const deadline = traceDeadline(options, context.deadline);
  const how = { gasLimit, hidesPrices: false, tracer, deadline, ...(checks && { checks }) };
  return whenDone(
    withTraceRejections(() => applyMessageNow(context, call, how)),
    (applied) => {
      visitor.onTraced({ hash, tracer, applied, gasSoFar: gasUsed + applied.gasUsed });
      return applied;
    },
  );
}
