import { type Block, headerToJson, quantity } from '@cairn/block-model';
import { blockNumberParam, findWholeBlock } from '../../block-param.ts';
import { define } from '../define.ts';
import { blockHashParam, indexParam } from '../params.ts';

const byHash = (hash: `0x${string}`) => ({ hash, requireCanonical: false });
const count = (list: readonly unknown[] | undefined) => (list === undefined ? null : quantity(list.length));

export const ethGetBlockTransactionCountByHash = define({
  name: 'eth_getBlockTransactionCountByHash',
  summary: 'The number of transactions of a block.',
  params: [blockHashParam],
  result: 'A quantity, or null where there is no such block.',
  handle: ([hash], context) => count(findWholeBlock(context, byHash(hash))?.transactions),
});

export const ethGetBlockTransactionCountByNumber = define({
  name: 'eth_getBlockTransactionCountByNumber',
  summary: 'The number of transactions of a block.',
  params: [blockNumberParam],
  result: 'A quantity, or null where there is no such block.',
  handle: ([id], context) => count(findWholeBlock(context, id)?.transactions),
});

export const ethGetUncleCountByBlockHash = define({
  name: 'eth_getUncleCountByBlockHash',
  summary: 'The number of uncles of a block.',
  params: [blockHashParam],
  result: 'A quantity, or null where there is no such block.',
  handle: ([hash], context) => count(findWholeBlock(context, byHash(hash))?.uncles),
});

export const ethGetUncleCountByBlockNumber = define({
  name: 'eth_getUncleCountByBlockNumber',
  summary: 'The number of uncles of a block.',
  params: [blockNumberParam],
  result: 'A quantity, or null where there is no such block.',
  handle: ([id], context) => count(findWholeBlock(context, id)?.uncles),
});

/** An uncle as a block without a body, which is how geth tells it. */
function uncleJson(block: Block | undefined, index: number) {
  const uncle = block?.uncles[index];
  return uncle ? { ...headerToJson(uncle), size: quantity(uncle.raw.length + 3), uncles: [] } : null;
}

export const ethGetUncleByBlockHashAndIndex = define({
  name: 'eth_getUncleByBlockHashAndIndex',
  summary: 'An uncle of a block.',
  params: [blockHashParam, indexParam],
  result: 'Its header, or null where there is none.',
  handle: ([hash, index], context) => uncleJson(findWholeBlock(context, byHash(hash)), index),
});

export const ethGetUncleByBlockNumberAndIndex = define({
  name: 'eth_getUncleByBlockNumberAndIndex',
  summary: 'An uncle of a block.',
  params: [blockNumberParam, indexParam],
  result: 'Its header, or null where there is none.',
  handle: ([id, index], context) => uncleJson(findWholeBlock(context, id), index),
});
