import { parseCid } from '@cairn/cid';
import { adoptDag, parseTreePath } from '@cairn/mfs';
import { importDirectory } from '@cairn/unixfs';
import { Inject, Injectable } from '@nestjs/common';
import { ApiError } from '../api-error.ts';
import type { Command, CommandContext } from '../command.ts';
import { endLines } from '../write.ts';
import { Files } from './files.ts';

const options = { confirm: { kind: 'boolean', default: false } } as const;

/** `files/chroot`: replaces the whole tree by another directory, or by an empty one. */
@Injectable()
export class FilesChrootCommand implements Command<typeof options> {
  readonly name = 'files/chroot';
  readonly scope = 'pin';
  readonly args = { name: 'cid', min: 0, max: 1 };
  readonly options = options;

  constructor(@Inject(Files) private readonly files: Files) {}

  async run({
    principal,
    args,
    options: { confirm },
    response,
    signal,
  }: CommandContext<typeof options>): Promise<void> {
    if (!confirm) throw new ApiError(400, 'this replaces the whole tree of the account: pass confirm=true to do so');
    const given = args[0] === undefined ? undefined : parseCid(args[0].replace(/^\/?ipfs\//, ''));
    await this.files.change(
      principal,
      signal,
      async (tree, session) => {
        const root = given ?? (await importDirectory([], tree.blocks)).cid;
        await adoptDag(tree, session, root, await tree.size());
        if (!(await tree.isDirectory(root))) throw new ApiError(400, `${root} is not a directory`);
        await tree.replace(parseTreePath('/'), root);
      },
      { isGrowing: given !== undefined },
    );
    endLines(response);
  }
}
