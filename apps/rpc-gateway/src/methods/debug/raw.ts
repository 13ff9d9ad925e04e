import { type Block, encodeBlock, encodeReceipt, hexFromBytes } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import { type BlockId, blockIdParam, findWholeBlock } from '../../block-param.ts';
import type { RequestContext } from '../../request-context.ts';
import { define } from '../define.ts';
import { transactionHashParam } from '../params.ts';

function requireBlock(context: RequestContext, id: BlockId): Block {
  const block = findWholeBlock(context, id);
  if (block) return block;
  const name = 'number' in id ? `#${id.number}` : 'hash' in id ? id.hash : id.tag;
  throw new RpcError('server', `block ${name} not found`);
}

export const debugGetRawBlock = define({
  name: 'debug_getRawBlock',
  summary: 'A block as it is encoded.',
  params: [blockIdParam],
  result: 'RLP.',
  cost: 2,
  handle: ([id], context) => hexFromBytes(encodeBlock(requireBlock(context, id))),
});

export const debugGetRawHeader = define({
  name: 'debug_getRawHeader',
  summary: 'A header as it is encoded: its keccak-256 is the hash of the block.',
  params: [blockIdParam],
  result: 'RLP.',
  handle: ([id], context) => hexFromBytes(requireBlock(context, id).header.raw),
});

export const debugGetRawReceipts = define({
  name: 'debug_getRawReceipts',
  summary: 'The receipts of a block as the receipts trie holds them (EIP-2718).',
  params: [blockIdParam],
  result: 'A list of encoded receipts.',
  cost: 5,
  handle([id], context) {
    const { header } = requireBlock(context, id);
    return (context.chain.store.receipts(header.hash) ?? []).map((receipt) => hexFromBytes(encodeReceipt(receipt)));
  },
});

export const debugGetRawTransaction = define({
  name: 'debug_getRawTransaction',
  summary: 'A transaction as it was sent (EIP-2718).',
  params: [transactionHashParam],
  result: 'Its bytes, "0x" where there is none.',
  cost: 2,
  handle([hash], { chain: { store } }) {
    const place = store.transactionPlace(hash);
    const transaction = place && store.block(place.blockHash)?.transactions[place.index];
    return transaction ? hexFromBytes(transaction.raw) : '0x';
  },
});
