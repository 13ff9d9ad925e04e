import {
  type Block,
  blockFromJson,
  decodeBlock,
  type Header,
  type Hex,
  headerFromJson,
  type Json,
  type Receipt,
  receiptFromJson,
  verifyBlock as verifyParts,
  verifyReceipts as verifyReceiptParts,
} from '@cairn/block-model';
import { requireHash } from './chain/linked-headers.ts';
import { VerifyError, withCode } from './errors.ts';

export interface VerifyBlockOptions {
  /** The trusted hash. */
  readonly blockHash: Hex;
  /** Headers of the uncles, in order, for a block in JSON: JSON has only their hashes. */
  readonly uncles?: readonly Header[];
}

/**
 * Verifies a block: RLP, or JSON with full transactions. Hashes and senders are computed, never copied.
 * @throws ANSWER_MALFORMED, BLOCK_UNTRUSTED, BLOCK_INVALID
 */
export function verifyBlock(block: Json | Uint8Array, { blockHash, uncles = [] }: VerifyBlockOptions): Block {
  const decoded = withCode('ANSWER_MALFORMED', 'The block cannot be read', () =>
    block instanceof Uint8Array ? decodeBlock(block) : blockFromJson(block, uncles),
  );
  requireHash(decoded.header, blockHash);
  withCode('BLOCK_INVALID', 'The block does not match its header', () => verifyParts(decoded));
  return decoded;
}

/** Verifies a header in JSON. @throws ANSWER_MALFORMED, BLOCK_UNTRUSTED */
export function verifyHeader(json: unknown, blockHash: Hex): Header {
  const header = withCode('ANSWER_MALFORMED', 'The header cannot be read', () => headerFromJson(objectOf(json)));
  requireHash(header, blockHash);
  return header;
}

/**
 * Verifies all receipts of a block, in JSON. Fields that the receipts trie lacks are not read.
 * @param header a verified header
 * @throws ANSWER_MALFORMED, RECEIPTS_INVALID
 */
export function verifyReceipts(json: unknown, header: Header): readonly Receipt[] {
  if (!Array.isArray(json)) throw new VerifyError('ANSWER_MALFORMED', 'The receipts are no list.');
  const receipts = withCode('ANSWER_MALFORMED', 'A receipt cannot be read', () => json.map(receiptFromJson));
  withCode('RECEIPTS_INVALID', 'The receipts do not match their header', () => verifyReceiptParts(header, receipts));
  return receipts;
}

function objectOf(json: unknown): Json {
  if (typeof json === 'object' && json !== null && !Array.isArray(json)) return json as Json;
  throw new VerifyError('ANSWER_MALFORMED', 'The answer is no object.');
}
