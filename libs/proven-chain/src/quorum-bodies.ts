import {
  type Block,
  givenBlockFromJson,
  givenReceiptFromJson,
  type Header,
  type Hex,
  type Json,
  logsBloomOf,
  type Receipt,
  verifyBlock,
} from '@cairn/block-model';
import { answerInvalid } from '@cairn/upstream';
import { canonicalJson } from './canonical-json.ts';

/** A body, and the text by which the answers of upstreams are compared; no text if the header proves the body. */
export interface ComparableBody<T> {
  readonly value: T;
  readonly text?: string;
}

/** Text for {@link ComparableBody} values of one request. */
export function textOfBody({ text = 'proven' }: ComparableBody<unknown>): string {
  return text;
}

/** Reads a block with transaction types of no known format. @throws VALUE_INVALID, DECODE_FAILED, BLOCK_CORRUPT */
export function comparableBlock(json: Json, hash: Hex, uncles: readonly Header[]): ComparableBody<Block> {
  const block = givenBlockFromJson(json, uncles);
  verifyBlock(block, hash);
  return { value: block, text: canonicalJson([json.transactions, json.size ?? null]) };
}

/**
 * Reads receipts of transaction types of no known format. The bloom of the header must match their logs: of all fields, the
 * logs alone are bound to the header.
 * @throws VALUE_INVALID, UPSTREAM_ANSWER_INVALID
 */
export function comparableReceipts(list: readonly unknown[], header: Header): ComparableBody<readonly Receipt[]> {
  const receipts = list.map(givenReceiptFromJson);
  if (logsBloomOf(receipts.flatMap(({ logs }) => logs)) !== header.logsBloom)
    throw answerInvalid(`the logs of the receipts do not match the bloom of block ${header.hash}`);
  for (const { given } of receipts)
    if (given?.blockHash !== header.hash) throw answerInvalid(`a receipt is not of block ${header.hash}`);
  return { value: receipts, text: canonicalJson(list) };
}
