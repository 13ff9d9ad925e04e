import { type Block, encodeBlock, encodeReceipt, hexFromBytes } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import { type BlockId, blockIdParam, findBlock, isPending } from '../../block-param.ts';
import type { RequestContext } from '../../request-context.ts';
import { define } from '../define.ts';
import { transactionHashParam } from '../params.ts';
import { rawBytes } from '../transactions/transactions.ts';

/**
 * The block meant, or `undefined` where no block has the number. geth looks neither at requireCanonical here, nor does it
 * keep the pending block.
 * @throws RpcError in geth's words where no block has the hash
 */
function rawBlock(context: RequestContext, id: BlockId, part: 'block' | 'header'): Block | undefined {
  if (isPending(id)) throw new RpcError('server', `${part} #pending not found. Ask for latest.`);
  const hash = findBlock(context, id);
  const block = hash && context.chain.store.block(hash);
  if (block === undefined && 'hash' in id) throw new RpcError('server', `${part} #${id.hash} not found`);
  return block;
}

export const debugGetRawBlock = define({
  name: 'debug_getRawBlock',
  summary: 'A block as it is encoded.',
  params: [blockIdParam],
  result: 'RLP, "0x" where no block has the number.',
  errors: ['server'],
  cost: 2,
  reveals: 'anything',
  handle([id], context) {
    const block = rawBlock(context, id, 'block');
    return block ? hexFromBytes(encodeBlock(block)) : '0x';
  },
});

export const debugGetRawHeader = define({
  name: 'debug_getRawHeader',
  summary: 'A header as it is encoded: its keccak-256 is the hash of the block.',
  params: [blockIdParam],
  result: 'RLP, "0x" where no block has the number.',
  errors: ['server'],
  reveals: 'nothing',
  handle([id], context) {
    const block = rawBlock(context, id, 'header');
    return block ? hexFromBytes(block.header.raw) : '0x';
  },
});

export const debugGetRawReceipts = define({
  name: 'debug_getRawReceipts',
  summary: 'The receipts of a block as the receipts trie holds them (EIP-2718).',
  params: [blockIdParam],
  result: 'A list of encoded receipts: empty for an unknown hash, null where no block has the number.',
  cost: 5,
  reveals: 'anything',
  handle([id], context) {
    if (isPending(id)) return [];
    const hash = findBlock(context, id);
    if (hash === undefined && !('hash' in id)) return null;
    const receipts = hash === undefined ? undefined : context.chain.store.receipts(hash);
    return (receipts ?? []).map((receipt) => hexFromBytes(encodeReceipt(receipt)));
  },
});

export const debugGetRawTransaction = define({
  name: 'debug_getRawTransaction',
  summary: 'A transaction as it was sent (EIP-2718).',
  params: [transactionHashParam],
  result: 'Its bytes, "0x" where there is none.',
  cost: 2,
  reveals: 'anything',
  handle([hash], { chain: { store } }) {
    const place = store.transactionPlace(hash);
    return rawBytes(place && store.block(place.blockHash)?.transactions[place.index]);
  },
});
