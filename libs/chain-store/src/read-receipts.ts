import { decodeReceipt, decodeRlp, encodeRlp, type Receipt } from '@cairn/block-model';

/** Reads receipts from the stored RLP list of a block. @throws DECODE_FAILED */
export function decodeReceipts(raw: Uint8Array): Receipt[] {
  const items = decodeRlp('receipts', raw);
  if (!Array.isArray(items)) throw new Error('expected a list, found bytes');
  return items.map((item) => decodeReceipt(item instanceof Uint8Array ? item : encodeRlp(item)));
}
