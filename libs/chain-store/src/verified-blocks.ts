import {
  type Block,
  bytesFromHex,
  CorruptBlockError,
  decodeHeader,
  type Header,
  type Hex,
  joinBlock,
  type Receipt,
  verifyBlock,
  verifyReceipts,
} from '@cairn/block-model';
import { LRUCache } from 'lru-cache';
import { decodeReceipts } from './read-receipts.ts';
import type { Tables } from './tables.ts';

/** Largest number of verified blocks in memory. A block may have 10 MiB. */
const blocksCachedMax = 256;
const headersCachedMax = 1_024;

/** Reads stored blocks, verifies them against their hashes and roots, and caches verified ones. */
export class VerifiedBlocks {
  readonly #tables: Pick<Tables, 'headers' | 'bodies' | 'receipts'>;
  readonly #blocks = new LRUCache<Hex, Block>({ max: blocksCachedMax });
  readonly #headers = new LRUCache<Hex, Header>({ max: headersCachedMax });
  readonly #receipts = new LRUCache<Hex, readonly Receipt[]>({ max: blocksCachedMax });

  constructor(tables: Pick<Tables, 'headers' | 'bodies' | 'receipts'>) {
    this.#tables = tables;
  }

  /** Returns the header with this hash; `undefined` when it is not stored. @throws BLOCK_CORRUPT */
  header(hash: Hex): Header | undefined {
    const cached = this.#headers.get(hash);
    if (cached) return cached;
    const raw = this.#tables.headers.get(bytesFromHex(hash));
    if (raw === undefined) return undefined;
    const header = decoded(hash, () => decodeHeader(raw));
    if (header.hash !== hash) throw new CorruptBlockError(hash, 'hash', hash, header.hash);
    this.#headers.set(hash, header);
    return header;
  }

  /** Returns the block with this hash; `undefined` when it is not stored. @throws BLOCK_CORRUPT */
  block(hash: Hex): Block | undefined {
    const cached = this.#blocks.get(hash);
    if (cached) return cached;
    const header = this.header(hash);
    if (header === undefined) return undefined;
    const body = this.#tables.bodies.get(bytesFromHex(hash));
    if (body === undefined) throw new CorruptBlockError(hash, 'body', 'its transactions', 'missing');
    const block = decoded(hash, () => joinBlock(header, body));
    verifyBlock(block, hash);
    this.#blocks.set(hash, block);
    return block;
  }

  /** Returns the receipts of a block; `undefined` when the block is not stored. @throws BLOCK_CORRUPT */
  receipts(hash: Hex): readonly Receipt[] | undefined {
    const cached = this.#receipts.get(hash);
    if (cached) return cached;
    const header = this.header(hash);
    if (header === undefined) return undefined;
    const raw = this.#tables.receipts.get(bytesFromHex(hash));
    if (raw === undefined) throw new CorruptBlockError(hash, 'receipts', 'its receipts', 'missing');
    const receipts = decoded(hash, () => decodeReceipts(raw));
    verifyReceipts(header, receipts);
    this.#receipts.set(hash, receipts);
    return receipts;
  }
}

function decoded<T>(hash: Hex, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw new CorruptBlockError(hash, 'encoding', 'RLP', error instanceof Error ? error.message : 'something else');
  }
}
