import { type Block, type Json, receiptToJson } from '@cairn/block-model';
import { blockEnvironment } from '@cairn/evm-executor';
import type { BlockReader } from '../../chains/chain.ts';

/** Collects the inputs of {@link receiptToJson} for the receipts of a block. */
export function receiptParts(reader: Pick<BlockReader, 'receipts' | 'spec'>, block: Block) {
  const receipts = reader.receipts(block.header.hash) ?? [];
  const { spec } = reader;
  const blobGasPrice = spec && blockEnvironment(spec, block.header).block.blobBaseFee;
  return { block, receipts, spec, ...(blobGasPrice !== undefined && { blobGasPrice }) };
}

/** Serializes the receipts of a block as eth_getBlockReceipts does. */
export function receiptsJson(reader: Pick<BlockReader, 'receipts' | 'spec'>, block: Block): Json[] {
  const parts = receiptParts(reader, block);
  return block.transactions.map((_, index) => receiptToJson({ ...parts, index }));
}
