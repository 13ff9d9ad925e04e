import { type Block, receiptToJson } from '@cairn/block-model';
import { blockEnvironment } from '@cairn/evm-executor';
import { blockIdParam, findWholeBlock } from '../../block-param.ts';
import type { RequestContext } from '../../request-context.ts';
import { define } from '../define.ts';
import { immutableJson } from '../immutable-json.ts';
import { transactionHashParam } from '../params.ts';

/** What the receipts of a block are told with. */
function receiptsOf({ chain: { store } }: RequestContext, block: Block) {
  const receipts = store.receipts(block.header.hash) ?? [];
  const { spec } = store;
  const blobGasPrice = spec && blockEnvironment(spec, block.header).block.blobBaseFee;
  return { block, receipts, ...(blobGasPrice !== undefined && { blobGasPrice }) };
}

export const ethGetTransactionReceipt = define({
  name: 'eth_getTransactionReceipt',
  summary: 'What became of a transaction, held to the receipts root of its block.',
  params: [transactionHashParam],
  result: 'The receipt, or null where there is none.',
  cost: 3,
  handle([hash], context) {
    const { store } = context.chain;
    const place = store.transactionPlace(hash);
    if (place === undefined) return null;
    const { blockHash, index } = place;
    return immutableJson(context, `receipt/${blockHash}/${index}`, () => {
      const block = store.block(blockHash);
      return block && receiptToJson({ ...receiptsOf(context, block), index });
    });
  },
});

export const ethGetBlockReceipts = define({
  name: 'eth_getBlockReceipts',
  summary: 'The receipts of all transactions of a block.',
  params: [blockIdParam],
  result: 'A list, or null where there is no such block.',
  cost: 10,
  handle([id], context) {
    const block = findWholeBlock(context, id);
    if (block === undefined) return null;
    return immutableJson(context, `receipts/${block.header.hash}`, () => {
      const told = receiptsOf(context, block);
      return block.transactions.map((_, index) => receiptToJson({ ...told, index }));
    });
  },
});
