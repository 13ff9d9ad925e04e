import { type Hex, receiptToJson } from '@cairn/block-model';
import { blockIdParam, isPending } from '../../block-id.ts';
import type { RequestContext } from '../../request-context.ts';
import { findWholeBlock } from '../../resolve-block.ts';
import { define } from '../define.ts';
import { immutableJson } from '../immutable-json.ts';
import { requireOpenTransaction } from '../open-account.ts';
import { transactionHashParam } from '../params.ts';
import { receiptParts, receiptsJson } from './receipts-json.ts';

export const ethGetTransactionReceipt = define({
  name: 'eth_getTransactionReceipt',
  summary: 'Returns the receipt of a transaction, verified against the receipts root of its block.',
  params: [transactionHashParam],
  result: 'The receipt, or null if there is none.',
  cost: 3,
  reveals: 'transaction',
  handle([hash], context) {
    const { reader } = context.chain;
    const place = reader.transactionPlace(hash);
    if (place === undefined) return null;
    const { blockHash, index } = place;
    requireOpenReceipt(context, blockHash, index);
    return immutableJson(context, `receipt/${blockHash}/${index}`, () => {
      const block = reader.block(blockHash);
      return block && receiptToJson({ ...receiptParts(reader, block), index });
    });
  },
});

/** Checks that the key may read a receipt. @throws KEY_SCOPE_MISSING */
function requireOpenReceipt({ chain: { reader }, principal }: RequestContext, hash: Hex, index: number): void {
  const { policy } = principal.key;
  const transaction = policy.contracts && reader.block(hash)?.transactions[index];
  if (transaction !== undefined) requireOpenTransaction(policy, transaction, reader.receipts(hash)?.[index]);
}

export const ethGetBlockReceipts = define({
  name: 'eth_getBlockReceipts',
  summary: 'Returns the receipts of all transactions of a block.',
  params: [blockIdParam],
  result: 'A list, or null if there is no such block.',
  cost: 10,
  reveals: 'anything',
  handle([id], context) {
    if (isPending(id)) return [];
    const block = findWholeBlock(context, id);
    if (block === undefined) return null;
    const { reader } = context.chain;
    return immutableJson(context, `receipts/${block.header.hash}`, () => receiptsJson(reader, block));
  },
});
