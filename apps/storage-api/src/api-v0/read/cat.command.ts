import type { Blockstore, BufferPool } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { resolveToBlock } from '@cairn/dag';
import { catNode, NotAFileError, readNode, type UnixfsNode } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { prefetchOf } from '../../network/network.ts';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { resolveOptionsOf } from '../paths.ts';
import { sendFile } from '../write.ts';

const most = Number.MAX_SAFE_INTEGER;
const options = {
  offset: { kind: 'integer', type: 'int64', alias: 'o', default: 0, min: -most, max: most },
  length: { kind: 'integer', type: 'int64', alias: 'l', min: -most, max: most },
} as const;

/** A range of a file. */
interface Piece {
  readonly root: UnixfsNode;
  readonly offset: number;
  readonly length: number;
}

/** `cat`: returns the bytes of files one after the other; `offset` and `length` count over all of them. */
@Injectable()
export class CatCommand implements Command<typeof options> {
  readonly name = 'cat';
  readonly scope = 'read';
  readonly args = { name: 'ipfs-path', min: 1, max: 1000 };
  readonly options = options;

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, options: { offset, length }, response, signal }: CommandContext<typeof options>): Promise<void> {
    if (offset < 0) throw new ApiError(400, 'cannot specify negative offset');
    if (length !== undefined && length < 0) throw new ApiError(400, 'cannot specify negative length');
    // Matches Kubo: an empty range needs no lookup.
    const pieces = length === 0 ? [] : await this.#pieces(args, offset, length ?? Number.POSITIVE_INFINITY, signal);
    const total = pieces.reduce((sum, piece) => sum + piece.length, 0);
    await sendFile(response, (buffers) => this.#bytes(pieces, signal, buffers), total, signal);
  }

  /** Finds the ranges before the first byte is sent, so that a missing file is still an error response. */
  async #pieces(args: readonly string[], offset: number, length: number, signal: AbortSignal): Promise<Piece[]> {
    const pieces: Piece[] = [];
    let skip = offset;
    let left = length;
    for (const arg of args) {
      const cid = await resolveToBlock(this.store, arg, resolveOptionsOf(signal));
      const root = await readNode(this.store, cid, { signal });
      const size = root.type === 'symlink' ? root.data.length : root.fileSize;
      if (root.type === 'directory' || root.type === 'hamt-sharded-directory')
        throw new NotAFileError(cid.toString(), 'directory');
      const start = Math.min(skip, size);
      skip -= start;
      const taken = Math.min(size - start, left);
      left -= taken;
      pieces.push({ root, offset: start, length: taken });
      if (left === 0) break;
    }
    return pieces;
  }

  async *#bytes(pieces: readonly Piece[], signal: AbortSignal, buffers: BufferPool): AsyncGenerator<Uint8Array> {
    for (const { root, offset, length } of pieces) {
      if (length === 0) continue;
      // Symlinks are not followed: their content is their target.
      if (root.type === 'symlink') yield root.data.subarray(offset, offset + length);
      else yield* catNode(this.store, root, { offset, length, signal, buffers, onAhead: prefetchOf(signal) });
    }
  }
}
