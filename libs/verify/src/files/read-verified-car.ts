import type { Blockstore } from '@cairn/blockstore/core';
import { BlockNotFoundError } from '@cairn/blockstore/core';
import type { CID } from '@cairn/cid';
import { readCar } from '@cairn/dag';
import { type ByteSource, base64FromBytes } from '@cairn/platform';
import { VerifyError } from '../errors.ts';

export interface ReadVerifiedCarOptions {
  /** Total length of the blocks. Default: 256 MiB. */
  readonly bytesMax?: number;
}

/** Blocks that match their CIDs. */
export interface VerifiedBlocks extends Pick<Blockstore, 'get'> {
  /** Roots that the CAR names. Nothing proves them. */
  readonly roots: readonly CID[];
}

const bytesMaxDefault = 256 * 1024 * 1024;

/**
 * Reads a CAR into memory and verifies each block against its CID.
 * @throws CAR_INVALID, BLOCK_CORRUPT, HASH_UNSUPPORTED, WITNESS_TOO_LARGE
 */
export async function readVerifiedCar(
  source: ByteSource,
  { bytesMax = bytesMaxDefault }: ReadVerifiedCarOptions = {},
): Promise<VerifiedBlocks> {
  const { roots, blocks } = await readCar(source);
  const content = new Map<string, Uint8Array>();
  let bytes = 0;
  for await (const { cid, bytes: block } of blocks) {
    bytes += block.length;
    if (bytes > bytesMax)
      throw new VerifyError('WITNESS_TOO_LARGE', `The blocks of the CAR have more than ${bytesMax} bytes.`);
    content.set(keyOf(cid), block);
  }
  return {
    roots,
    async get(cid) {
      const block = content.get(keyOf(cid));
      if (block === undefined) throw new BlockNotFoundError(cid.toString());
      return block;
    },
  };
}

function keyOf({ multihash }: CID): string {
  return base64FromBytes(multihash.bytes);
}
