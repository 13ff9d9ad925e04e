import { type Block, type Blockstore, createHashedBlock, runInSlices, Slices } from '@cairn/blockstore/core';
import { type CID, type CodecName, cidFor, identityBytesMax } from '@cairn/cid';
import { type PbLink, pbBytesSteps } from './dag-pb.ts';
import { InvalidOptionError, RefusedOptionError } from './errors.ts';

/** How blocks are named; the same for every block of an import. */
export interface NamingOptions {
  /** Default 0, or 1 where another option asks for it. */
  readonly cidVersion?: 0 | 1;
  /** Name of a hash function. Default `sha2-256`. */
  readonly hash?: string;
  /** Puts small blocks into their CIDs (hash function `identity`, version 1) in place of the store. Default false. */
  readonly inline?: boolean;
  /** Longest block in bytes that {@link inline} takes. Default 32, as in Kubo; 128 at most. */
  readonly inlineBytesMax?: number;
}

const batchBytes = 1024 * 1024;
/** Bounds a batch of tiny blocks, such as the leaves of `size-1`. */
const batchBlocks = 512;

/** Names blocks and gives them to the store, several at a time. */
export class BlockBatchWriter {
  readonly cidVersion: 0 | 1;
  readonly #store: Pick<Blockstore, 'putMany'>;
  readonly #hash: string;
  readonly #inlineBytesMax: number;
  /** A source that has all of its bytes leaves no turn of the event loop to others. */
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

  /** Takes a raw block. Its CID has version 1 always. */
  putRaw(bytes: Uint8Array): Promise<Block> {
    return this.#put(bytes, 'raw', 1);
  }

  /** Encodes and takes a dag-pb block. */
  async putNode(links: readonly PbLink[], data: Uint8Array): Promise<Block> {
    return await this.putEncoded(await runInSlices(pbBytesSteps({ links, data }), this.#slices));
  }

  /** Takes a dag-pb block that is encoded already. */
  putEncoded(bytes: Uint8Array): Promise<Block> {
    return this.#put(bytes, 'dag-pb', this.cidVersion);
  }

  async #put(bytes: Uint8Array, codec: CodecName, version: 0 | 1): Promise<Block> {
    if (this.#slices.isOver) await this.#slices.next();
    // The name holds all of it; the store has nothing to keep.
    if (bytes.length <= this.#inlineBytesMax) return { cid: cidFor(bytes, { codec, hash: 'identity' }), bytes };
    const block = createHashedBlock(bytes, { codec, hash: this.#hash, version });
    this.#batch.push(block);
    this.#batchBytes += bytes.length;
    if (this.#batchBytes >= batchBytes || this.#batch.length >= batchBlocks) await this.flush();
    return block;
  }

  /** Resolves when the store has taken every block. They are **not** durable before its `sync`. */
  async flush(): Promise<void> {
    if (this.#batch.length === 0) return;
    const batch = this.#batch;
    this.#batch = [];
    this.#batchBytes = 0;
    await this.#store.putMany(batch);
  }
}

/** The link to a block that was just written, over the links below it. */
export function linkTo(
  { cid, bytes }: { readonly cid: CID; readonly bytes: Uint8Array },
  below: readonly PbLink[],
): PbLink {
  return { cid, name: '', tsize: below.reduce((sum, { tsize }) => sum + tsize, bytes.length) };
}
