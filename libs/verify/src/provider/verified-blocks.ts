import { type Block, type Header, type Hex, headerFromJson, type Json, type Receipt } from '@cairn/block-model';
import { VerifyError, withCode } from '../errors.ts';
import { verifyBlock, verifyReceipts } from '../verify-block.ts';
import type { RpcRequest } from './rpc-request.ts';

/** Blocks and receipts that are verified against their headers. */
export class VerifiedBlocks {
  readonly #request: RpcRequest;

  constructor(request: RpcRequest) {
    this.#request = request;
  }

  async block({ hash }: Header): Promise<Block> {
    const json = await this.#request({ method: 'eth_getBlockByHash', params: [hash, true] });
    if (typeof json !== 'object' || json === null)
      throw new VerifyError('ANSWER_MALFORMED', `The gateway has no block ${hash}.`);
    const { uncles: hashes } = json as { readonly uncles?: unknown };
    const uncles = await this.#uncles(hash, Array.isArray(hashes) ? Math.min(hashes.length, unclesMax) : 0);
    return verifyBlock(json as Json, { blockHash: hash, uncles });
  }

  async receipts(header: Header): Promise<readonly Receipt[]> {
    const json = await this.#request({ method: 'eth_getBlockReceipts', params: [header.hash] });
    return verifyReceipts(json, header);
  }

  /** Headers of uncles, which the hash of the uncles in the header of the block proves. */
  async #uncles(hash: Hex, count: number): Promise<readonly Header[]> {
    const indexes = Array.from({ length: count }, (_, index) => `0x${index.toString(16)}`);
    const answers = await Promise.all(
      indexes.map((index) => this.#request({ method: 'eth_getUncleByBlockHashAndIndex', params: [hash, index] })),
    );
    return withCode('ANSWER_MALFORMED', 'An uncle cannot be read', () =>
      answers.map((json) => headerFromJson(json as Json)),
    );
  }
}

/** Uncles of one block (Yellow Paper, section 11.1). */
const unclesMax = 2;
