import { quantity } from '@cairn/block-model';
import { optionalBlockIdParam } from '../../block-param.ts';
import { define } from '../define.ts';
import { blockOverridesParam, callParam, stateOverridesParam } from './call-params.ts';
import { executionError, messageJob, runJob } from './run-job.ts';

export const ethEstimateGas = define({
  name: 'eth_estimateGas',
  summary:
    'How much gas a transaction needs to succeed after a block, at most 1.5 % more than that. No more than the gas limit of the block is tried, or than `gas` where it is given, up to 10 times that limit.',
  params: [callParam, optionalBlockIdParam, stateOverridesParam, blockOverridesParam],
  result: 'A quantity.',
  errors: ['reverted', 'server'],
  cost: 100,
  reveals: { contracts: ([call]) => [call.to], overrides: ([, , state]) => [state] },
  async handle([call, id, state, block], context) {
    const result = await runJob(context, 'eth_estimateGas', {
      kind: 'estimateGas' as const,
      ...messageJob(context, call, id, { state, block }),
    });
    if (result.kind === 'estimate') return quantity(result.gas);
    throw executionError(result);
  },
});
