import { type Block, transactionToJson } from '@cairn/block-model';
import { blockNumberParam, findWholeBlock } from '../../block-param.ts';
import { define } from '../define.ts';
import { blockHashParam, indexParam, transactionHashParam } from '../params.ts';

const result = 'The transaction, or null where there is none.';

function transactionAt(block: Block | undefined, index: number) {
  const transaction = block?.transactions[index];
  return block && transaction ? transactionToJson(transaction, { header: block.header, index }) : null;
}

export const ethGetTransactionByHash = define({
  name: 'eth_getTransactionByHash',
  summary: 'The transaction of a hash, with its place in the chain.',
  params: [transactionHashParam],
  result,
  cost: 2,
  handle([hash], { chain: { store } }) {
    const place = store.transactionPlace(hash);
    return place ? transactionAt(store.block(place.blockHash), place.index) : null;
  },
});

export const ethGetTransactionByBlockHashAndIndex = define({
  name: 'eth_getTransactionByBlockHashAndIndex',
  summary: 'The transaction at a place in a block.',
  params: [blockHashParam, indexParam],
  result,
  handle: ([hash, index], { chain: { store } }) => transactionAt(store.block(hash), index),
});

export const ethGetTransactionByBlockNumberAndIndex = define({
  name: 'eth_getTransactionByBlockNumberAndIndex',
  summary: 'The transaction at a place in a block.',
  params: [blockNumberParam, indexParam],
  result,
  handle: ([id, index], context) => transactionAt(findWholeBlock(context, id), index),
});
