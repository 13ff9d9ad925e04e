import { quantity } from '@cairn/block-model';
import { optionalBlockIdParam } from '../../block-param.ts';
import { define } from '../define.ts';
import { callParam, stateOverridesParam } from './call-params.ts';
import { messageJob, runJob } from './run-job.ts';

export const ethCreateAccessList = define({
  name: 'eth_createAccessList',
  summary: 'The accounts and slots that a transaction reads beyond its own, as an access list (EIP-2930).',
  params: [callParam, optionalBlockIdParam, stateOverridesParam],
  result: 'The list, the gas that the transaction uses with it, and the error it ends with if it does.',
  errors: ['server'],
  cost: 60,
  async handle([call, id, state], context) {
    const { accessList, gasUsed, error } = await runJob(context, 'eth_createAccessList', {
      kind: 'createAccessList' as const,
      ...messageJob(context, call, id, { state }),
    });
    return { accessList, ...(error !== undefined && { error }), gasUsed: quantity(gasUsed) };
  },
});
