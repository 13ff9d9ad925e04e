import { namingFrom, parseTreePath } from '@cairn/mfs';
import { readNode, rewriteNode } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { askedNaming, namingOptions } from '../naming.ts';
import { argument } from '../paths.ts';
import { endLines } from '../write.ts';
import { Files } from './files.ts';
import { flushOption } from './flush-option.ts';

const options = { ...flushOption, ...namingOptions } as const;

/** `files/chcid`: changes CID version or hash function of a directory below the root. */
@Injectable()
export class FilesChcidCommand implements Command<typeof options> {
  readonly name = 'files/chcid';
  readonly scope = 'add';
  readonly args = { name: 'path', min: 1, max: 1 };
  readonly options = options;

  constructor(@Inject(Files) private readonly files: Files) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const path = parseTreePath(`/${argument(args, 0, 'path')}`);
    const asked = askedNaming(chosen);
    if (path.names.length === 0)
      throw new ApiError(
        500,
        "cannot change CID format of the MFS root; use 'ipfs config Import.CidVersion' and 'ipfs config Import.HashFunction' instead",
      );
    await this.files.change(
      principal,
      signal,
      async (tree) => {
        // Matches Kubo: a request without options looks the path up only when it flushes.
        if (asked === undefined && !chosen.flush) return;
        const cid = await tree.lookup(path);
        if (asked === undefined) {
          const { type } = await readNode(tree.blocks, cid, { signal });
          if (type === 'symlink') throw new ApiError(500, 'symlinks not yet supported');
          return;
        }
        if (!(await tree.isDirectory(cid))) throw new ApiError(500, 'can only update directories');
        const renamed = await rewriteNode(tree.blocks, cid, { ...namingFrom(asked), signal });
        await tree.replace(path, renamed.cid);
      },
      { isGrowing: false },
    );
    endLines(response);
  }
}
