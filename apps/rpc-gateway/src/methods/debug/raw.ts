import { type Block, encodeBlock, encodeReceipt, hexFromBytes, proofOfReceipts } from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import { type BlockId, blockIdParam, isPending } from '../../block-id.ts';
import type { RequestContext } from '../../request-context.ts';
import { findBlock } from '../../resolve-block.ts';
import { define } from '../define.ts';
import { transactionHashParam } from '../params.ts';
import { rawBytes, unknownEncoding } from '../transactions/transactions.ts';

/**
 * Reads a block; `undefined` if no block has the number. As in geth, requireCanonical is ignored here and there is no pending block.
 * @throws RpcError in geth's words if no block has the hash
 */
function rawBlock(context: RequestContext, id: BlockId, part: 'block' | 'header'): Block | undefined {
  if (isPending(id)) throw new RpcError('server', `${part} #pending not found. Ask for latest.`);
  const hash = findBlock(context, id);
  const block = hash && context.chain.reader.block(hash);
  if (block === undefined && 'hash' in id) throw new RpcError('server', `${part} #${id.hash} not found`);
  return block;
}

/** @throws RpcError for a block with transaction types of no known format */
function encodable(block: Block): Block {
  if (block.proof === 'quorum') throw unknownEncoding();
  return block;
}

export const debugGetRawBlock = define({
  name: 'debug_getRawBlock',
  summary: 'Returns an encoded block.',
  params: [blockIdParam],
  result: 'RLP; "0x" if no block has the number.',
  errors: ['server'],
  cost: 2,
  reveals: 'anything',
  handle([id], context) {
    const block = rawBlock(context, id, 'block');
    return block ? hexFromBytes(encodeBlock(encodable(block))) : '0x';
  },
});

export const debugGetRawHeader = define({
  name: 'debug_getRawHeader',
  summary: 'Returns an encoded header, whose keccak-256 is the block hash.',
  params: [blockIdParam],
  result: 'RLP; "0x" if no block has the number.',
  errors: ['server'],
  reveals: 'nothing',
  handle([id], context) {
    const block = rawBlock(context, id, 'header');
    return block ? hexFromBytes(block.header.raw) : '0x';
  },
});

export const debugGetRawReceipts = define({
  name: 'debug_getRawReceipts',
  summary: 'Returns the receipts of a block as encoded in the receipts trie (EIP-2718).',
  params: [blockIdParam],
  result: 'A list of encoded receipts: empty for an unknown hash, null if no block has the number.',
  cost: 5,
  reveals: 'anything',
  handle([id], context) {
    if (isPending(id)) return [];
    const hash = findBlock(context, id);
    if (hash === undefined && !('hash' in id)) return null;
    const receipts = hash === undefined ? undefined : context.chain.reader.receipts(hash);
    if (proofOfReceipts(receipts ?? []) === 'quorum') throw unknownEncoding();
    return (receipts ?? []).map((receipt) => hexFromBytes(encodeReceipt(receipt)));
  },
});

export const debugGetRawTransaction = define({
  name: 'debug_getRawTransaction',
  summary: 'Returns an encoded transaction (EIP-2718).',
  params: [transactionHashParam],
  result: 'The bytes of the transaction; "0x" if there is none.',
  cost: 2,
  reveals: 'anything',
  handle([hash], { chain: { reader } }) {
    const place = reader.transactionPlace(hash);
    return rawBytes(place && reader.block(place.blockHash)?.transactions[place.index]);
  },
});
