import { quantity } from '@cairn/block-model';
import { type Awaitable, WorldState, whenDone } from '@cairn/evm';
import { type Reward, rewardsOf } from '../../block/pay-rewards-and-withdrawals.ts';
import { blockEnvironment } from '../../block-environment.ts';
import type { TraceResult } from '../trace-call.ts';
import type { TracerOptions } from '../trace-options.ts';
import { type TraceBlockOptions, traceTransactions } from '../trace-transactions.ts';
import type { ParityRecord } from './parity-record.ts';
import { ParityTracer } from './parity-tracer.ts';
import { RecordList } from './record-list.ts';
import { TraceBudget } from './trace-budget.ts';

/**
 * Lists the calls of a block or of one transaction, and the rewards after those of the whole block. As in traceBlock, a trace of
 * one transaction may need no promise.
 * @throws TRACE_TOO_LARGE, EXECUTION_TIMEOUT, and the errors of the state
 */
export function traceRecords(place: TraceBlockOptions, options: TracerOptions<'parity'>): Awaitable<TraceResult> {
  const { block, spec, index } = place;
  const list = new RecordList(options, new TraceBudget());
  let gasUsed = 0n;
  const ended = traceTransactions(place, {
    createWorld: (cache) => new WorldState(cache),
    createTracer: () => new ParityTracer(options),
    onTraced({ tracer, gasSoFar }) {
      gasUsed = gasSoFar;
      for (const record of tracer.records()) list.add(record);
    },
  });
  return whenDone(ended, () => {
    if (index === undefined) {
      const { rules } = blockEnvironment(spec, block.header);
      for (const reward of rewardsOf(block.header, rules, block.uncles)) list.add(recordOfReward(reward, block.header));
    }
    return { json: list.toJson(), gasUsed, records: list.matched };
  });
}

function recordOfReward(
  { kind, author, value }: Reward,
  { hash, number }: TraceBlockOptions['block']['header'],
): ParityRecord {
  const record = {
    action: { author, rewardType: kind, value: quantity(value) },
    blockHash: hash,
    blockNumber: Number(number),
    result: null,
    subtraces: 0,
    traceAddress: [],
    transactionHash: null,
    transactionPosition: null,
    type: 'reward',
  };
  return { from: undefined, to: author, traceAddress: [], toJson: () => JSON.stringify(record) };
}
