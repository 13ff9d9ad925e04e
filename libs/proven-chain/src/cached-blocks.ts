import {
  type Block,
  bytesFromHex,
  decodeHeader,
  decodeReceipt,
  decodeRlp,
  encodeBody,
  encodeReceipt,
  encodeRlp,
  type Header,
  type Hex,
  joinBlock,
  type Receipt,
  verifyBlock,
  verifyReceipts,
} from '@cairn/block-model';
import { isCairnError } from '@cairn/errors';
import type { ContentCache, ContentReader } from '@cairn/proven-state';
import { contentName } from './content-names.ts';
import { provenChainLimits } from './limits.ts';
import { MemoryCache } from './memory-cache.ts';

/**
 * Headers, bodies and receipts of the content cache by block hash. Each is verified when it is read from the disk; a damaged one is
 * absent. Decoded ones stay in memory.
 */
export class CachedBlocks {
  readonly #cache: ContentReader;
  readonly #headers = new MemoryCache<Header>(provenChainLimits.headersMemoryMax);
  readonly #blocks: MemoryCache<Block>;
  readonly #receipts: MemoryCache<readonly Receipt[]>;

  /** @param memoryMax text length of decoded blocks, and of decoded receipts, roughly their bytes */
  constructor(cache: ContentReader, memoryMax: number = provenChainLimits.memoryMax) {
    this.#cache = cache;
    this.#blocks = new MemoryCache(memoryMax);
    this.#receipts = new MemoryCache(memoryMax);
  }

  header(hash: Hex): Header | undefined {
    const known = this.#headers.get(hash);
    if (known !== undefined) return known;
    const raw = this.#cache.get(bytesFromHex(hash));
    if (raw === undefined) return undefined;
    const header = decodeHeader(raw);
    this.#headers.set(hash, header, headerSize);
    return header;
  }

  block(hash: Hex): Block | undefined {
    const known = this.#blocks.get(hash);
    if (known !== undefined) return known;
    const header = this.header(hash);
    const body = header && this.#cache.find(contentName('body', hash));
    const block = body && intact(() => verifiedBlock(header, body));
    if (block !== undefined) this.#blocks.set(hash, block, block.size);
    return block;
  }

  receipts(header: Header): readonly Receipt[] | undefined {
    const known = this.#receipts.get(header.hash);
    if (known !== undefined) return known;
    const raw = this.#cache.find(contentName('receipts', header.hash));
    const receipts = raw && intact(() => verifiedReceipts(raw, header));
    if (receipts !== undefined) this.#receipts.set(header.hash, receipts, sizeOf(receipts));
    return receipts;
  }

  /** Adds a block to the cache. One whose body only a quorum of upstreams attests stays in memory: nothing verifies it on the disk. */
  addBlock(cache: ContentCache, block: Block): void {
    const { hash, raw } = block.header;
    cache.put(bytesFromHex(hash), raw);
    if (block.transactions.every(({ given }) => given === undefined))
      cache.put(contentName('body', hash), encodeBody(block));
    this.#blocks.set(hash, block, block.size);
  }

  /** Adds receipts to the cache, as {@link addBlock} adds blocks. */
  addReceipts(cache: ContentCache, { hash }: Header, receipts: readonly Receipt[]): void {
    if (receipts.every(({ given }) => given === undefined))
      cache.put(contentName('receipts', hash), encodeRlp(receipts.map(encodeReceipt)));
    this.#receipts.set(hash, receipts, sizeOf(receipts));
  }
}

/** Memory of a decoded header: its bloom as text, and fields. */
const headerSize = 2_000;

function verifiedBlock(header: Header, body: Uint8Array): Block {
  const block = joinBlock(header, body);
  verifyBlock(block);
  return block;
}

function verifiedReceipts(raw: Uint8Array, header: Header): readonly Receipt[] {
  const receipts = (decodeRlp('receipts', raw) as Uint8Array[]).map(decodeReceipt);
  verifyReceipts(header, receipts);
  return receipts;
}

/** The decoded content; `undefined` for a damaged record, which is fetched again. */
function intact<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch (error) {
    if (isCairnError(error)) return undefined;
    throw error;
  }
}

function sizeOf(receipts: readonly Receipt[]): number {
  return receipts.reduce(
    (sum, { logs, given }) =>
      sum + (given === undefined ? 600 : 3000) + logs.reduce((all, { data }) => all + data.length + 400, 0),
    0,
  );
}
