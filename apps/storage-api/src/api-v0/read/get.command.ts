import { basename, normalize } from 'node:path/posix';
import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { Blockstore, BufferPool } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { resolveToBlock } from '@cairn/dag';
import { catNode, readNode, type UnixfsNode } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { prefetchOf } from '../../network/network.ts';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { argument, resolveOptionsOf } from '../paths.ts';
import { sendBlocks, sendHead, streamHeaders, write } from '../write.ts';
import { tarOf } from './tar.ts';

const options = {
  archive: { kind: 'boolean', alias: 'a', default: false },
  compress: { kind: 'boolean', alias: 'C', default: false },
  'compression-level': { kind: 'integer', alias: 'l', min: -(2 ** 31), max: 2 ** 31 - 1 },
} as const;

/**
 * `get`: returns a file or a tree as a tar archive; with `compress`, gzipped. A compressed file without `archive`
 * has no archive.
 */
@Injectable()
export class GetCommand implements Command<typeof options> {
  readonly name = 'get';
  readonly scope = 'read';
  readonly args = { name: 'ipfs-path', min: 1, max: 1 };
  readonly options = options;

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const path = argument(args, 0, 'ipfs-path');
    const level = chosen['compression-level'];
    if (chosen.compress && level !== undefined && (level < 1 || level > 9))
      throw new ApiError(400, 'compression level must be between 1 and 9');
    const cid = await resolveToBlock(this.store, path, resolveOptionsOf(signal));
    const root = await readNode(this.store, cid, { signal });
    const isTar = chosen.archive || !chosen.compress;
    if (!isTar && isDirectory(root)) throw new ApiError(500, 'file is not regular');
    const isPax = !chosen.archive;
    sendHead(response, {
      ...streamHeaders,
      'content-type': chosen.compress ? 'application/gzip' : 'application/x-tar',
      'x-content-type-options': 'nosniff',
      'x-content-length': sizeOf(root),
    });
    const tar = (buffers?: BufferPool) => tarOf(this.store, nameOf(path), root, { signal, isPax, buffers });
    if (!chosen.compress) return sendBlocks(response, tar, signal);
    const gzip = createGzip({ level: level ?? constants.Z_DEFAULT_COMPRESSION });
    // The response is not part of the pipeline: where the source fails, the reason must still go into the trailer.
    const body = async (chunks: AsyncIterable<Uint8Array>) => {
      for await (const bytes of chunks) await write(response, bytes, signal);
    };
    await pipeline(isTar ? tar() : this.#bytes(root, signal), gzip, body, { signal });
    response.end();
  }

  async *#bytes(root: UnixfsNode, signal: AbortSignal): AsyncGenerator<Uint8Array> {
    if (root.type === 'symlink') yield root.data;
    else yield* catNode(this.store, root, { signal, onAhead: prefetchOf(signal) });
  }
}

function isDirectory({ type }: UnixfsNode): boolean {
  return type === 'directory' || type === 'hamt-sharded-directory';
}

/** Name of the root in an archive: the last part of the path. */
function nameOf(path: string): string {
  return basename(normalize(path));
}

/** Length that Kubo announces: for a directory the size of its DAG, for a symlink that of its target. */
function sizeOf(root: UnixfsNode): number {
  if (root.type === 'symlink') return root.data.length;
  return isDirectory(root) ? root.links.reduce((sum, { tsize }) => sum + tsize, root.blockBytes) : root.fileSize;
}
