import { type CID, type CidOptions, cidFor } from '@cairn/cid';
import type { Block } from './blockstore.ts';

class HashedBlock implements Block {
  readonly cid: CID;
  readonly bytes: Uint8Array;
  /** Only what was made here has it, and nothing else can be given it. */
  readonly #isHashedBlock = true;

  constructor(cid: CID, bytes: Uint8Array) {
    this.cid = cid;
    this.bytes = bytes;
    Object.freeze(this);
  }

  static isHashedBlock(block: Block): boolean {
    return #isHashedBlock in block && block.#isHashedBlock;
  }
}

/**
 * A block of bytes and the CID that is computed from them here, which a verified store therefore does not compute again
 * when it takes the block. The bytes must not change from here on; what is read back is hashed in any case.
 * @throws as `cidFor`
 */
export function createHashedBlock(bytes: Uint8Array, options: CidOptions): Block {
  return new HashedBlock(cidFor(bytes, options), bytes);
}

/** True for a block of {@link createHashedBlock}, this very object. */
export function isHashedBlock(block: Block): boolean {
  return HashedBlock.isHashedBlock(block);
}
