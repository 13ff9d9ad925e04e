import { move, parseTreePath } from '@cairn/mfs';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { argument } from '../paths.ts';
import { endLines } from '../write.ts';
import { Files } from './files.ts';
import { flushOption } from './flush-option.ts';

const options = flushOption;

/** `files/mv`: moves a file or directory in one step. */
@Injectable()
export class FilesMvCommand implements Command<typeof options> {
  readonly name = 'files/mv';
  readonly scope = 'add';
  readonly args = { name: ['source', 'dest'], min: 2, max: 2 };
  readonly options = options;

  constructor(@Inject(Files) private readonly files: Files) {}

  async run({ principal, args, response, signal }: CommandContext<typeof options>): Promise<void> {
    const from = parseTreePath(argument(args, 0, 'source'));
    const to = parseTreePath(argument(args, 1, 'dest'));
    await this.files.change(principal, signal, (tree) => move(tree, from, to), { isGrowing: false });
    endLines(response);
  }
}
