import { parseTreePath, remove } from '@cairn/mfs';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { sendNothing } from '../write.ts';
import { Files } from './files.ts';

const options = {
  recursive: { kind: 'boolean', default: false },
  r: { kind: 'boolean', default: false },
  force: { kind: 'boolean', default: false },
} as const;

/** `files/rm`: removes files and directories, all that are named or none. */
@Injectable()
export class FilesRmCommand implements Command<typeof options> {
  readonly name = 'files/rm';
  readonly scope = 'pin';
  readonly args = { name: 'path', min: 1, max: 1000 };
  readonly options = options;

  constructor(@Inject(Files) private readonly files: Files) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const paths = args.map(parseTreePath);
    const how = { recursive: chosen.recursive || chosen.r, force: chosen.force };
    await this.files.change(
      principal,
      signal,
      async (tree) => {
        for (const path of paths) await remove(tree, path, how);
      },
      { isGrowing: false },
    );
    sendNothing(response);
  }
}
