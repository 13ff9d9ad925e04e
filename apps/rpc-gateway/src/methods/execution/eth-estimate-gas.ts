import { quantity } from '@cairn/block-model';
import { optionalBlockIdParam } from '../../block-id.ts';
import { define } from '../define.ts';
import type { CallExecutor } from './call-executor.ts';
import { blockOverridesParam, callParam, stateOverridesParam } from './call-params.ts';
import { executionError, messageJob } from './message-job.ts';

export const ethEstimateGas = (executor: CallExecutor) =>
  define({
    name: 'eth_estimateGas',
    summary:
      'Estimates the gas that a transaction needs to succeed after a block; at most 1.5 % too high. The highest gas tried is the gas limit of the block, or `gas` if it is given, up to 10 times that limit.',
    params: [callParam, optionalBlockIdParam, stateOverridesParam, blockOverridesParam],
    result: 'A quantity.',
    errors: ['reverted', 'server'],
    cost: 100,
    reveals: { contracts: ([call]) => [call.to], overrides: ([, , state]) => [state] },
    async handle([call, id, state, block], context) {
      const result = await executor.run(context, 'eth_estimateGas', {
        kind: 'estimateGas' as const,
        ...messageJob(context, call, id, { state, block }),
      });
      if (result.kind === 'estimate') return quantity(result.gas);
      throw executionError(result);
    },
  });
