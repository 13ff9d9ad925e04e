import {
  bytesFromBigint,
  bytesFromHex,
  decodeHeader,
  encodeBody,
  encodeReceipt,
  encodeRlp,
  type Header,
  type Hex,
  joinBlock,
  verifyBlock,
  verifyReceipts,
} from '@cairn/block-model';
import { extendChain } from '../canonical-chain.ts';
import { decodeReceipts } from '../read-receipts.ts';
import type { Tables } from '../tables.ts';
import { listItems } from './record-chunks.ts';

/** Last block of a {@link BlockLoader}, as JSON. */
export interface BlockLoaderState {
  readonly number: string;
  readonly hash: Hex;
  readonly totalDifficulty: string;
}

/** Verifies the records of blocks: links between headers, and bodies and receipts against their roots. */
export class BlockLoader {
  readonly #tables: Tables;
  #number = -1n;
  #hash: Hex;
  #totalDifficulty = 0n;

  /** @param genesisHash expected hash of the first block */
  constructor(tables: Tables, genesisHash: Hex, state?: BlockLoaderState) {
    this.#tables = tables;
    this.#hash = genesisHash;
    if (state === undefined) return;
    this.#number = BigInt(state.number);
    this.#hash = state.hash;
    this.#totalDifficulty = BigInt(state.totalDifficulty);
  }

  get state(): BlockLoaderState | undefined {
    if (this.#number < 0n) return undefined;
    return { number: `${this.#number}`, hash: this.#hash, totalDifficulty: `${this.#totalDifficulty}` };
  }

  get number(): bigint {
    return this.#number;
  }

  /** Verifies the next block. @returns the write of the block, for a transaction @throws BLOCK_CORRUPT, DECODE_FAILED, Error */
  add(record: Uint8Array): () => void {
    const [rawHeader, body, rawReceipts, ...rest] = listItems(record);
    if (!rawHeader || !body || !rawReceipts || rest.length > 0) throw new Error('a block has other parts');
    const header = decodeHeader(Uint8Array.from(rawHeader));
    this.#verifyLink(header);
    const block = joinBlock(header, body);
    verifyBlock(block);
    const receipts = decodeReceipts(rawReceipts);
    verifyReceipts(header, receipts);
    this.#number = header.number;
    this.#hash = header.hash;
    this.#totalDifficulty += header.difficulty;
    const content = {
      changes: [],
      transactions: block.transactions.map(({ hash }) => hash),
      logs: receipts.flatMap(({ logs }) => logs),
    };
    // Encoded again, since different encodings may have the same roots.
    const [encodedBody, encodedReceipts] = [encodeBody(block), encodeRlp(receipts.map(encodeReceipt))];
    const difficulty = this.#totalDifficulty === 0n ? Uint8Array.of(0) : bytesFromBigint(this.#totalDifficulty);
    return () => {
      const hash = bytesFromHex(header.hash);
      this.#tables.headers.put(hash, header.raw);
      this.#tables.bodies.put(hash, encodedBody);
      this.#tables.receipts.put(hash, encodedReceipts);
      this.#tables.difficulties.put(hash, difficulty);
      extendChain(this.#tables, header, content);
    };
  }

  #verifyLink({ number, hash, parentHash }: Header): void {
    if (number !== this.#number + 1n) throw new Error(`block ${number} follows block ${this.#number}`);
    const linked = number === 0n ? hash : parentHash;
    if (linked === this.#hash) return;
    throw new Error(
      number === 0n
        ? `its genesis block is ${hash}, while the network begins with ${this.#hash}`
        : `the parent of block ${number} is ${parentHash}, while block ${this.#number} is ${this.#hash}`,
    );
  }
}
