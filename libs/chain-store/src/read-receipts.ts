import { decodeReceipt, decodeRlp, encodeRlp, type Receipt } from '@cairn/block-model';

/** Receipts from the RLP list that a block is stored with. @throws DECODE_FAILED */
export function decodeReceipts(raw: Uint8Array): Receipt[] {
  const items = decodeRlp('receipts', raw);
  if (!Array.isArray(items)) throw new Error('no list');
  return items.map((item) => decodeReceipt(item instanceof Uint8Array ? item : encodeRlp(item)));
}
