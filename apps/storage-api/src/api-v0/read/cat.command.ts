import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { catNode, NotAFileError, readNode, type UnixfsNode } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { resolveAll } from '../paths.ts';
import { sendBytes } from '../write.ts';

const options = {
  offset: { kind: 'integer', default: 0, min: 0, max: Number.MAX_SAFE_INTEGER },
  length: { kind: 'integer', min: 0, max: Number.MAX_SAFE_INTEGER },
} as const;

/** `cat`: the bytes of files one after the other; `offset` and `length` count over all of them. */
@Injectable()
export class CatCommand implements Command<typeof options> {
  readonly name = 'cat';
  readonly scope = 'read';
  readonly args = { name: 'ipfs-path', min: 1, max: 1000 };
  readonly options = options;

  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  async run({ args, options: { offset, length }, response, signal }: CommandContext<typeof options>): Promise<void> {
    // Every root is found and read before the first byte goes out, so that what is missing is still an error.
    const roots: UnixfsNode[] = [];
    for (const cid of await resolveAll(this.store, args, signal)) {
      const root = await readNode(this.store, cid, { signal });
      if (root.type !== 'file' && root.type !== 'raw') throw new NotAFileError(cid.toString(), kindOf(root));
      roots.push(root);
    }
    const total = roots.reduce((sum, { fileSize }) => sum + fileSize, 0);
    const start = Math.min(offset, total);
    const end = length === undefined ? total : Math.min(total, start + length);
    await sendBytes(response, this.#bytes(roots, start, end, signal), end - start, signal);
  }

  async *#bytes(
    roots: readonly UnixfsNode[],
    start: number,
    end: number,
    signal: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    let before = 0;
    for (const root of roots) {
      const offset = Math.max(0, start - before);
      const length = Math.min(root.fileSize, end - before) - offset;
      if (length > 0) yield* catNode(this.store, root, { offset, length, signal });
      before += root.fileSize;
    }
  }
}

function kindOf({ type }: UnixfsNode): string {
  return type === 'hamt-sharded-directory' ? 'directory' : type;
}
