import { type CID, type CidOptions, cidFor, cidInBackground, verifyBytes } from '@cairn/cid';
import type { Block } from './blockstore.ts';
import type { BufferPool } from './buffer-pool.ts';

class HashedBlock implements Block {
  readonly cid: CID;
  readonly bytes: Uint8Array;
  readonly lentBy: BufferPool | undefined;
  /** A private field cannot be added from outside, so it proves that this class made the object. */
  readonly #isHashed = true;

  constructor(cid: CID, bytes: Uint8Array, lentBy?: BufferPool) {
    this.cid = cid;
    this.bytes = bytes;
    this.lentBy = lentBy;
    Object.freeze(this);
  }

  static isHashed(block: Block): boolean {
    return #isHashed in block && block.#isHashed;
  }
}

/**
 * Creates a block and computes its CID. A verified store does not hash such a block again on write; reads are always
 * verified. The bytes must not change afterwards.
 * @param lentBy pool that lent the buffer of `bytes`; see {@link Block.lentBy}
 * @throws as `cidFor`
 */
export function createHashedBlock(bytes: Uint8Array, options: CidOptions, lentBy?: BufferPool): Block {
  return new HashedBlock(cidFor(bytes, options), bytes, lentBy);
}

/**
 * Creates a block as {@link createHashedBlock} does, and hashes long bytes in another thread where the platform has one free. The
 * bytes must not change from the call on.
 * @throws as `cidFor`
 */
export async function createHashedBlockInBackground(
  bytes: Uint8Array,
  options: CidOptions,
  lentBy?: BufferPool,
): Promise<Block> {
  return new HashedBlock(await cidInBackground(bytes, options), bytes, lentBy);
}

/**
 * Verifies bytes against a CID and creates their block. A verified store does not hash it again on write. The bytes must not
 * change afterwards.
 * @throws BLOCK_CORRUPT, HASH_UNSUPPORTED
 */
export function createVerifiedBlock(cid: CID, bytes: Uint8Array): Block {
  verifyBytes(cid, bytes);
  return new HashedBlock(cid, bytes);
}

/** Reports whether a function of this module made this object. A copy of its fields does not count. */
export function isHashedBlock(block: Block): boolean {
  return HashedBlock.isHashed(block);
}
