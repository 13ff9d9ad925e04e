import { type Block, encodeBlock, headerToJson, quantity } from '@cairn/block-model';
import { type BlockId, blockNumberParam, isPending } from '../../block-id.ts';
import type { RequestContext } from '../../request-context.ts';
import { findWholeBlock } from '../../resolve-block.ts';
import { define } from '../define.ts';
import { blockHashParam, indexParam } from '../params.ts';

const byHash = (hash: `0x${string}`) => ({ hash, requireCanonical: false });
/** Lists that are counted. Those of the pending block are empty. */
const partsOf = (context: RequestContext, id: BlockId): Pick<Block, 'transactions' | 'uncles'> | undefined =>
  isPending(id) ? { transactions: [], uncles: [] } : findWholeBlock(context, id);
const count = (list: readonly unknown[] | undefined) => (list === undefined ? null : quantity(list.length));

export const ethGetBlockTransactionCountByHash = define({
  name: 'eth_getBlockTransactionCountByHash',
  summary: 'Returns the number of transactions of a block.',
  params: [blockHashParam],
  result: 'A quantity, or null if there is no such block.',
  reveals: 'nothing',
  handle: ([hash], context) => count(findWholeBlock(context, byHash(hash))?.transactions),
});

export const ethGetBlockTransactionCountByNumber = define({
  name: 'eth_getBlockTransactionCountByNumber',
  summary: 'Returns the number of transactions of a block.',
  params: [blockNumberParam],
  result: 'A quantity, or null if there is no such block.',
  reveals: 'nothing',
  handle: ([id], context) => count(partsOf(context, id)?.transactions),
});

export const ethGetUncleCountByBlockHash = define({
  name: 'eth_getUncleCountByBlockHash',
  summary: 'Returns the number of uncles of a block.',
  params: [blockHashParam],
  result: 'A quantity, or null if there is no such block.',
  reveals: 'nothing',
  handle: ([hash], context) => count(findWholeBlock(context, byHash(hash))?.uncles),
});

export const ethGetUncleCountByBlockNumber = define({
  name: 'eth_getUncleCountByBlockNumber',
  summary: 'Returns the number of uncles of a block.',
  params: [blockNumberParam],
  result: 'A quantity, or null if there is no such block.',
  reveals: 'nothing',
  handle: ([id], context) => count(partsOf(context, id)?.uncles),
});

/** Serializes an uncle as geth does: a block without a body. */
function uncleJson(block: Block | undefined, index: number) {
  const header = block?.uncles[index];
  if (header === undefined) return null;
  const { length } = encodeBlock({ header, transactions: [], uncles: [] });
  return { ...headerToJson(header), size: quantity(length), uncles: [] };
}

export const ethGetUncleByBlockHashAndIndex = define({
  name: 'eth_getUncleByBlockHashAndIndex',
  summary: 'Returns an uncle of a block.',
  params: [blockHashParam, indexParam],
  result: 'The header of the uncle, or null if there is none.',
  reveals: 'nothing',
  handle: ([hash, index], context) => uncleJson(findWholeBlock(context, byHash(hash)), index),
});

export const ethGetUncleByBlockNumberAndIndex = define({
  name: 'eth_getUncleByBlockNumberAndIndex',
  summary: 'Returns an uncle of a block.',
  params: [blockNumberParam, indexParam],
  result: 'The header of the uncle, or null if there is none.',
  reveals: 'nothing',
  handle: ([id, index], context) => uncleJson(findWholeBlock(context, id), index),
});
