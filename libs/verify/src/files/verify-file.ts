import type { Blockstore } from '@cairn/blockstore/core';
import { verifyBytes } from '@cairn/cid';
import { type CatOptions, catFile, resolvePath } from '@cairn/unixfs';

export type VerifyFileOptions = CatOptions;

/**
 * Yields the verified bytes of a UnixFS file, named by CID or by a path below a CID. Blocks are verified when they are read, so
 * that `blocks` may fetch them from any source.
 * @throws PATH_INVALID, LINK_NOT_FOUND, NOT_A_FILE, DAG_INVALID, BLOCK_CORRUPT, and the errors of `blocks`
 */
export async function* verifyFile(
  blocks: Pick<Blockstore, 'get'>,
  path: string,
  options: VerifyFileOptions = {},
): AsyncGenerator<Uint8Array> {
  const verified: Pick<Blockstore, 'get'> = {
    async get(cid, readOptions) {
      const bytes = await blocks.get(cid, readOptions);
      verifyBytes(cid, bytes);
      return bytes;
    },
  };
  yield* catFile(verified, await resolvePath(verified, path), options);
}
