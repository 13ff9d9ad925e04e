import { type CidOptions, cidFor } from '@cairn/cid';
import type { Block } from './blockstore.ts';

const named = new WeakSet<Block>();

/**
 * A block of bytes and the CID that is computed from them here, which a verified store therefore does not compute again
 * when it takes the block. The bytes must not change from here on; what is read back is hashed in any case.
 * @throws as `cidFor`
 */
export function nameBlock(bytes: Uint8Array, options: CidOptions): Block {
  const block: Block = Object.freeze({ cid: cidFor(bytes, options), bytes });
  named.add(block);
  return block;
}

/** True for a block of {@link nameBlock}, this very object. */
export function isNamed(block: Block): boolean {
  return named.has(block);
}
