import { inherit, namingOf, parseTreePath } from '@cairn/mfs';
import { rewriteNode } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { namingOptions } from '../naming.ts';
import { sendNothing } from '../write.ts';
import { Files } from './files.ts';

const options = namingOptions;

/** `files/chcid`: another CID version or hash function for a directory and for what will be made in it. */
@Injectable()
export class FilesChcidCommand implements Command<typeof options> {
  readonly name = 'files/chcid';
  readonly scope = 'add';
  readonly args = { name: 'path', min: 0, max: 1 };
  readonly options = options;

  constructor(@Inject(Files) private readonly files: Files) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const path = parseTreePath(args[0] ?? '/');
    const { 'cid-version': version, hash } = chosen;
    await this.files.change(
      principal,
      signal,
      async (tree) => {
        const cid = await tree.lookup(path);
        if (!(await tree.isDirectory(cid))) throw new ApiError(400, 'can only update directories');
        const asked = {
          ...(version !== undefined && { cidVersion: version === 1 ? (1 as const) : (0 as const) }),
          ...(hash !== undefined && { hash }),
        };
        const renamed = await rewriteNode(tree.blocks, cid, { ...inherit(namingOf(cid), asked), signal });
        await tree.replace(path, renamed.cid);
      },
      { isGrowing: false },
    );
    sendNothing(response);
  }
}
