import {
  type Block,
  type Blockstore,
  type BufferPool,
  createHashedBlock,
  createHashedBlockInBackground,
  runInSlices,
  Slices,
} from '@cairn/blockstore/core';
import { type CID, type CodecName, cidFor, identityBytesMax } from '@cairn/cid';
import { type PbLink, pbBytesSteps } from './dag-pb.ts';
import { InvalidOptionError, RefusedOptionError } from './errors.ts';

/** CID version and hash function of blocks, the same for every block of an import. */
export interface NamingOptions {
  /** Default: 0, or 1 if another option requires it. */
  readonly cidVersion?: 0 | 1;
  /** Name of a hash function. Default: `sha2-256`. */
  readonly hash?: string;
  /** Stores small blocks inside their CIDs (hash function `identity`, version 1). Default: false. */
  readonly inline?: boolean;
  /** Maximum length in bytes of a block that {@link inline} applies to. Default: 32, as in Kubo. Maximum: 128. */
  readonly inlineBytesMax?: number;
}

const batchBytes = 1024 * 1024;
/** Bounds a batch of very small blocks, such as the leaves of `size-1`. */
const batchBlocks = 512;

/** Computes the CIDs of blocks and puts the blocks into the store in batches. */
export class BlockBatchWriter {
  readonly cidVersion: 0 | 1;
  readonly #store: Pick<Blockstore, 'putMany'>;
  readonly #hash: string;
  readonly #inlineBytesMax: number;
  /** Yields to the event loop, since a source with all bytes in memory never waits. */
  readonly #slices = new Slices();
  #batch: Block[] = [];
  #batchBytes = 0;

  /** @throws OPTION_INVALID */
  constructor(store: Pick<Blockstore, 'putMany'>, options: NamingOptions) {
    this.#store = store;
    this.#hash = options.hash ?? 'sha2-256';
    if (options.cidVersion === 0 && this.#hash !== 'sha2-256') {
      throw new RefusedOptionError('cid-version', 'CIDv0 only supports sha2-256');
    }
    this.cidVersion = options.cidVersion ?? (this.#hash === 'sha2-256' ? 0 : 1);
    const { inlineBytesMax = 32 } = options;
    if (!Number.isInteger(inlineBytesMax) || inlineBytesMax < 0 || inlineBytesMax > identityBytesMax) {
      throw new InvalidOptionError('inline-limit', `expected 0 to ${identityBytesMax} bytes, not ${inlineBytesMax}`);
    }
    this.#inlineBytesMax = options.inline === true ? inlineBytesMax : -1;
  }

  /** Writes a raw block. Its CID always has version 1. */
  putRaw(bytes: Uint8Array, lentBy?: BufferPool): Promise<Block> {
    return this.#put(bytes, { codec: 'raw', version: 1, lentBy });
  }

  /** Encodes and writes a dag-pb block. */
  async putNode(links: readonly PbLink[], data: Uint8Array): Promise<Block> {
    return await this.putEncoded(await runInSlices(pbBytesSteps({ links, data }), this.#slices));
  }

  /** Writes an encoded dag-pb block. */
  putEncoded(bytes: Uint8Array, lentBy?: BufferPool): Promise<Block> {
    return this.#put(bytes, { codec: 'dag-pb', version: this.cidVersion, lentBy });
  }

  /**
   * Computes the CID of a raw block, or of an encoded dag-pb block, where it is long in another thread. {@link putHashed} writes it.
   */
  async hash(bytes: Uint8Array, codec: 'raw' | 'dag-pb', lentBy?: BufferPool): Promise<Block> {
    if (this.#slices.isOver) await this.#slices.next();
    const version = codec === 'raw' ? 1 : this.cidVersion;
    return await createHashedBlockInBackground(bytes, { codec, hash: this.#hash, version }, lentBy);
  }

  async #put(
    bytes: Uint8Array,
    {
      codec,
      version,
      lentBy,
    }: { readonly codec: CodecName; readonly version: 0 | 1; readonly lentBy: BufferPool | undefined },
  ): Promise<Block> {
    if (this.#slices.isOver) await this.#slices.next();
    // The CID contains the whole block, so the store needs no copy.
    if (bytes.length <= this.#inlineBytesMax) return { cid: cidFor(bytes, { codec, hash: 'identity' }), bytes };
    return await this.putHashed(createHashedBlock(bytes, { codec, hash: this.#hash, version }, lentBy));
  }

  /** Writes a block of {@link hash}. */
  async putHashed(block: Block): Promise<Block> {
    this.#batch.push(block);
    this.#batchBytes += block.bytes.length;
    if (this.#batchBytes >= batchBytes || this.#batch.length >= batchBlocks) await this.flush();
    return block;
  }

  /** Resolves when the store has accepted every block. The blocks are **not** durable before `sync` of the store. */
  async flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    await this.#store.putMany(batch);
  }
}

/** Creates the link to a written block. `below` are the links within the block. */
export function linkTo(
  { cid, bytes }: { readonly cid: CID; readonly bytes: Uint8Array },
  below: readonly PbLink[],
): PbLink {
  return { cid, name: '', tsize: below.reduce((sum, { tsize }) => sum + tsize, bytes.length) };
}
