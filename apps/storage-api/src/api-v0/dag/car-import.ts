import { type Block, Slices } from '@cairn/blockstore';
import { type CID, cidFor, codecName } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import type { WriteSession } from '@cairn/pinning';
import { ApiError } from '../api-error.ts';
import { apiErrorFrom } from '../error-policy.ts';

const batchBytes = 2 * 1024 * 1024;
const batchBlocks = 1000;

/** Counts of `dag/import`. */
export interface ImportStats {
  BlockCount: number;
  BlockBytesCount: number;
}

/** Writes the blocks of one CAR in batches. An error names the last block before it, as in Kubo. */
export class CarImport {
  readonly #session: WriteSession;
  readonly #stats: ImportStats;
  #batch: Block[] = [];
  #waiting = 0;
  /** Last block of the written batches. */
  #written: CID | undefined;

  constructor(session: WriteSession, stats: ImportStats) {
    this.#session = session;
    this.#stats = stats;
  }

  /** @throws ApiError with Kubo's words for a damaged CAR; QUOTA_EXCEEDED, STORE_FULL */
  async write(blocks: AsyncIterable<Block>): Promise<void> {
    const slices = new Slices();
    try {
      for await (const block of blocks) {
        if (slices.isOver) await slices.next();
        this.#checkCodec(block.cid);
        this.#batch.push(block);
        this.#waiting += block.bytes.length;
        this.#stats.BlockCount++;
        this.#stats.BlockBytesCount += block.bytes.length;
        if (this.#waiting >= batchBytes || this.#batch.length >= batchBlocks) await this.#flush();
      }
    } catch (error) {
      throw isCairnError(error, 'CAR_INVALID') ? this.#failed(error, this.#batch.length) : error;
    }
    await this.#flush();
  }

  /** Checks that the codec of a block has a name. Kubo decodes each block instead. @throws ApiError 400 */
  #checkCodec(cid: CID): void {
    if (codecName(cid.code) !== undefined) return;
    const code = `${cid.code} (0x${cid.code.toString(16)})`;
    throw new ApiError(
      400,
      `import failed at block "${cid}": could not choose a decoder: no decoder registered for multicodec code ${code}`,
    );
  }

  async #flush(): Promise<void> {
    try {
      await this.#session.store.putMany(this.#batch);
    } catch (error) {
      if (!isCairnError(error, 'BLOCK_CORRUPT')) throw error;
      const { cid } = error.details;
      const at = this.#batch.findIndex((block) => block.cid.toString() === cid);
      const block = this.#batch[at];
      if (block === undefined) throw error;
      throw this.#failed(mismatch(block), at);
    }
    this.#written = this.#batch.at(-1)?.cid ?? this.#written;
    this.#batch = [];
    this.#waiting = 0;
  }

  /** Creates the error for a block that the store refuses, at its place in the batch. */
  #failed(error: unknown, at: number): unknown {
    const reason = apiErrorFrom(error);
    if (reason === undefined) return error;
    const previous = at > 0 ? this.#batch[at - 1]?.cid : this.#written;
    const where = previous === undefined ? 'import failed' : `import failed after block "${previous}"`;
    return new ApiError(reason.status, `${where}: ${reason.message}`, reason.headers);
  }
}

/**
 * Message of go-car for a block that does not match its CID, and of go-multihash for an identity CID of another
 * length.
 */
function mismatch({ cid, bytes }: Block): ApiError {
  const { code, digest } = cid.multihash;
  if (code === 0 && digest.length !== bytes.length) {
    const lengths = `the length of the identity hash (${digest.length}) must be equal to the length of the data (${bytes.length})`;
    return new ApiError(400, lengths);
  }
  const version = cid.version === 0 ? 0 : 1;
  const actual = cidFor(bytes, { codec: cid.code, hash: code, digestBytes: digest.length, version });
  return new ApiError(500, `mismatch in content integrity, expected: ${cid}, got: ${actual}`);
}
