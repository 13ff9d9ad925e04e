import { type Block, type Hex, type Json, receiptToJson } from '@cairn/block-model';
import type { ChainStore } from '@cairn/chain-store';
import { blockEnvironment } from '@cairn/evm-executor';
import { blockIdParam, findWholeBlock, isPending } from '../../block-param.ts';
import type { RequestContext } from '../../request-context.ts';
import { define } from '../define.ts';
import { immutableJson } from '../immutable-json.ts';
import { requireOpenTransaction } from '../open-account.ts';
import { transactionHashParam } from '../params.ts';

/** The parts that receipts in JSON are made of. */
function receiptsOf(store: ChainStore, block: Block) {
  const receipts = store.receipts(block.header.hash) ?? [];
  const { spec } = store;
  const blobGasPrice = spec && blockEnvironment(spec, block.header).block.blobBaseFee;
  return { block, receipts, ...(blobGasPrice !== undefined && { blobGasPrice }) };
}

/** The receipts of a block as eth_getBlockReceipts returns them. */
export function receiptsJson(store: ChainStore, block: Block): Json[] {
  const parts = receiptsOf(store, block);
  return block.transactions.map((_, index) => receiptToJson({ ...parts, index }));
}

export const ethGetTransactionReceipt = define({
  name: 'eth_getTransactionReceipt',
  summary: 'What became of a transaction, held to the receipts root of its block.',
  params: [transactionHashParam],
  result: 'The receipt, or null where there is none.',
  cost: 3,
  reveals: 'transaction',
  handle([hash], context) {
    const { store } = context.chain;
    const place = store.transactionPlace(hash);
    if (place === undefined) return null;
    const { blockHash, index } = place;
    requireOpenReceipt(context, blockHash, index);
    return immutableJson(context, `receipt/${blockHash}/${index}`, () => {
      const block = store.block(blockHash);
      return block && receiptToJson({ ...receiptsOf(store, block), index });
    });
  },
});

/** @throws KEY_SCOPE_MISSING for a receipt that the key may not read */
function requireOpenReceipt({ chain: { store }, principal }: RequestContext, hash: Hex, index: number): void {
  const { policy } = principal.key;
  const transaction = policy.contracts && store.block(hash)?.transactions[index];
  if (transaction !== undefined) requireOpenTransaction(policy, transaction, store.receipts(hash)?.[index]);
}

export const ethGetBlockReceipts = define({
  name: 'eth_getBlockReceipts',
  summary: 'The receipts of all transactions of a block.',
  params: [blockIdParam],
  result: 'A list, or null where there is no such block.',
  cost: 10,
  reveals: 'anything',
  handle([id], context) {
    if (isPending(id)) return [];
    const block = findWholeBlock(context, id);
    if (block === undefined) return null;
    const { store } = context.chain;
    return immutableJson(context, `receipts/${block.header.hash}`, () => receiptsJson(store, block));
  },
});
