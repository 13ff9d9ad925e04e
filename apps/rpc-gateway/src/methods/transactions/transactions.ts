import { type Hex, transactionToJson } from '@cairn/block-model';
import type { RawJson } from '@cairn/jsonrpc-core';
import { blockNumberParam, findBlock } from '../../block-param.ts';
import type { RequestContext } from '../../request-context.ts';
import { define } from '../define.ts';
import { immutableJson } from '../immutable-json.ts';
import { blockHashParam, indexParam, transactionHashParam } from '../params.ts';

const result = 'The transaction, or null where there is none.';

function transactionAt(context: RequestContext, hash: Hex | undefined, index: number): RawJson | null {
  if (hash === undefined) return null;
  return immutableJson(context, `transaction/${hash}/${index}`, () => {
    const block = context.chain.store.block(hash);
    const transaction = block?.transactions[index];
    return block && transaction && transactionToJson(transaction, { header: block.header, index });
  });
}

export const ethGetTransactionByHash = define({
  name: 'eth_getTransactionByHash',
  summary: 'The transaction of a hash, with its place in the chain.',
  params: [transactionHashParam],
  result,
  cost: 2,
  handle([hash], context) {
    const place = context.chain.store.transactionPlace(hash);
    return place ? transactionAt(context, place.blockHash, place.index) : null;
  },
});

export const ethGetTransactionByBlockHashAndIndex = define({
  name: 'eth_getTransactionByBlockHashAndIndex',
  summary: 'The transaction at a place in a block.',
  params: [blockHashParam, indexParam],
  result,
  handle: ([hash, index], context) => transactionAt(context, hash, index),
});

export const ethGetTransactionByBlockNumberAndIndex = define({
  name: 'eth_getTransactionByBlockNumberAndIndex',
  summary: 'The transaction at a place in a block.',
  params: [blockNumberParam, indexParam],
  result,
  handle: ([id, index], context) => transactionAt(context, findBlock(context, id), index),
});
