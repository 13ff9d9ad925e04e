import { quantity } from '@cairn/block-model';
import { optionalBlockIdParam } from '../../block-id.ts';
import { define } from '../define.ts';
import { suggestedTip } from '../fees/suggested-tip.ts';
import { type CallExecutor, workerTimeSurcharge } from './call-executor.ts';
import { callParam, stateOverridesParam } from './call-params.ts';
import { messageJob } from './message-job.ts';

export const ethCreateAccessList = (executor: CallExecutor) =>
  define({
    name: 'eth_createAccessList',
    summary:
      'Lists the accounts and slots that a transaction reads beyond its own, as an access list (EIP-2930). The sender pays the gas: missing fees are filled in with the suggested tip and twice the base fee.',
    params: [callParam, optionalBlockIdParam, stateOverridesParam],
    result: 'The list, the gas that the transaction uses with it, and the error if the transaction fails.',
    errors: ['server'],
    cost: 60,
    surcharge: workerTimeSurcharge,
    reveals: { contracts: ([call]) => [call.to], overrides: ([, , state]) => [state] },
    async handle([call, id, state], context) {
      const { accessList, gasUsed, error } = await executor.runByTime(context, 'eth_createAccessList', {
        kind: 'createAccessList' as const,
        tip: suggestedTip(context.chain),
        ...messageJob(context, call, id, { state }),
      });
      return { accessList, ...(error !== undefined && { error }), gasUsed: quantity(gasUsed) };
    },
  });
