import { effectiveGasPrice, type Header, nextBaseFee, quantity } from '@cairn/block-model';
import { blockEnvironment } from '@cairn/evm-executor';
import type { RequestContext } from '../../request-context.ts';
import { define } from '../define.ts';

/** Blocks that the suggested tip is taken from, and the share of their transactions that pay less. */
const tipBlocks = 20n;
const tipPercentile = 60;

function headOf({ chain: { store } }: RequestContext): Header | undefined {
  return store.header(store.head.hash);
}

/** Wei per unit of blob gas in the block after a header's; `undefined` before Cancun. */
export function blobBaseFeeOf({ chain: { store } }: RequestContext, header: Header): bigint | undefined {
  return store.spec && blockEnvironment(store.spec, header).block.blobBaseFee;
}

/** What transactions of the newest blocks paid above the base fee: the 60th of a hundred, in wei per gas. */
function suggestedTip({ chain: { store } }: RequestContext): bigint {
  const tips: bigint[] = [];
  const { number } = store.head;
  for (let height = number; height > 0n && height > number - tipBlocks; height--) {
    const hash = store.hashByNumber(height);
    const block = hash && store.block(hash);
    if (!block) break;
    const baseFee = block.header.baseFeePerGas ?? 0n;
    for (const transaction of block.transactions) tips.push(effectiveGasPrice(transaction, baseFee) - baseFee);
  }
  tips.sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  return tips[Math.floor(((tips.length - 1) * tipPercentile) / 100)] ?? 0n;
}

export const ethMaxPriorityFeePerGas = define({
  name: 'eth_maxPriorityFeePerGas',
  summary: 'A tip that the newest blocks would have taken, in wei per gas.',
  params: [],
  result: 'A quantity.',
  cost: 20,
  handle: (_, context) => quantity(suggestedTip(context)),
});

export const ethGasPrice = define({
  name: 'eth_gasPrice',
  summary: 'A gas price that the newest blocks would have taken: the base fee and the suggested tip, in wei.',
  params: [],
  result: 'A quantity.',
  cost: 20,
  handle: (_, context) => quantity((headOf(context)?.baseFeePerGas ?? 0n) + suggestedTip(context)),
});

export const ethBaseFee = define({
  name: 'eth_baseFee',
  summary: 'The base fee of the next block, in wei per gas (EIP-1559).',
  params: [],
  result: 'A quantity, or null before London.',
  handle(_, context) {
    const head = headOf(context);
    const fee = head && nextBaseFee(head);
    return fee === undefined ? null : quantity(fee);
  },
});

export const ethBlobBaseFee = define({
  name: 'eth_blobBaseFee',
  summary: 'The base fee of blobs, in wei per unit of blob gas (EIP-4844).',
  params: [],
  result: 'A quantity, or null before Cancun.',
  handle(_, context) {
    const head = headOf(context);
    const fee = head && blobBaseFeeOf(context, head);
    return fee === undefined ? null : quantity(fee);
  },
});
