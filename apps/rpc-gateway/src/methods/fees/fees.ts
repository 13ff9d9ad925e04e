import { quantity } from '@cairn/block-model';
import { blockEnvironment } from '@cairn/evm-executor';
import { baseFeeAfter, headOf } from '../../chains/pending-block.ts';
import { define } from '../define.ts';
import { suggestedTip } from './suggested-tip.ts';

export const ethMaxPriorityFeePerGas = define({
  name: 'eth_maxPriorityFeePerGas',
  summary: 'Suggests a tip that the newest blocks would have accepted, in wei per gas.',
  params: [],
  result: 'A quantity.',
  cost: 20,
  reveals: 'nothing',
  handle: (_, { chain }) => quantity(suggestedTip(chain)),
});

export const ethGasPrice = define({
  name: 'eth_gasPrice',
  summary:
    'Suggests a gas price that the newest blocks would have accepted: the base fee plus the suggested tip, in wei.',
  params: [],
  result: 'A quantity.',
  cost: 20,
  reveals: 'nothing',
  handle: (_, { chain }) => quantity((headOf(chain).baseFeePerGas ?? 0n) + suggestedTip(chain)),
});

export const ethBaseFee = define({
  name: 'eth_baseFee',
  summary: 'Returns the base fee of the next block, in wei per gas (EIP-1559).',
  params: [],
  result: 'A quantity, or null before London.',
  reveals: 'nothing',
  handle(_, { chain }) {
    const fee = baseFeeAfter(chain, headOf(chain));
    return fee === undefined ? null : quantity(fee);
  },
});

export const ethBlobBaseFee = define({
  name: 'eth_blobBaseFee',
  summary: 'Returns the base fee of blobs, in wei per unit of blob gas (EIP-4844).',
  params: [],
  result: 'A quantity, or null before Cancun.',
  reveals: 'nothing',
  handle(_, { chain }) {
    const { spec } = chain.reader;
    const fee = spec && blockEnvironment(spec, headOf(chain)).block.blobBaseFee;
    return fee === undefined ? null : quantity(fee);
  },
});
