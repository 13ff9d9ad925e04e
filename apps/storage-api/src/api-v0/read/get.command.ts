import { pipeline } from 'node:stream/promises';
import { constants, createGzip } from 'node:zlib';
import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { resolveToBlock } from '@cairn/dag';
import { catNode, parsePath, readNode } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { argument } from '../paths.ts';
import { streamHeaders, write } from '../write.ts';
import { tarOf } from './tar.ts';

const options = {
  archive: { kind: 'boolean', default: false },
  compress: { kind: 'boolean', default: false },
  'compression-level': { kind: 'integer', min: 1, max: 9 },
} as const;

/** `get`: a file or a whole tree as a tar archive; with `compress`, gzipped: a file without `archive` goes bare. */
@Injectable()
export class GetCommand implements Command<typeof options> {
  readonly name = 'get';
  readonly scope = 'read';
  readonly args = { name: 'ipfs-path', min: 1, max: 1 };
  readonly options = options;

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const path = argument(args, 0, 'ipfs-path');
    const cid = await resolveToBlock(this.store, path, { signal });
    const root = await readNode(this.store, cid, { signal });
    const name = parsePath(path).segments.at(-1) ?? cid.toString();
    const isFile = root.type === 'file' || root.type === 'raw';
    if (chosen.compress && !chosen.archive && !isFile) throw new ApiError(400, 'file is not regular');
    const isTar = chosen.archive || !chosen.compress;
    const source = isTar ? tarOf(this.store, name, root, signal) : catNode(this.store, root, { signal });
    response.writeHead(200, {
      ...streamHeaders,
      'content-type': chosen.compress ? 'application/gzip' : 'application/x-tar',
      'x-content-type-options': 'nosniff',
      ...(isFile && { 'x-content-length': root.fileSize }),
    });
    // The answer is not part of the pipeline: where the source fails, the reason must still go into the trailer.
    const body = async (chunks: AsyncIterable<Uint8Array>) => {
      for await (const bytes of chunks) await write(response, bytes, signal);
    };
    if (!chosen.compress) await pipeline(source, body, { signal });
    else {
      const level = chosen['compression-level'] ?? constants.Z_DEFAULT_COMPRESSION;
      await pipeline(source, createGzip({ level }), body, { signal });
    }
    response.end();
  }
}
