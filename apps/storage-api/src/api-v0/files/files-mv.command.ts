import { move, parseTreePath } from '@cairn/mfs';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { sendNothing } from '../write.ts';
import { Files } from './files.ts';

const options = { parents: { kind: 'boolean', default: false } } as const;

/** `files/mv`: moves files and directories, in one step. */
@Injectable()
export class FilesMvCommand implements Command<typeof options> {
  readonly name = 'files/mv';
  readonly scope = 'add';
  readonly args = { name: 'source and dest', min: 2, max: 1000 };
  readonly options = options;

  constructor(@Inject(Files) private readonly files: Files) {}

  async run({
    principal,
    args,
    options: { parents },
    response,
    signal,
  }: CommandContext<typeof options>): Promise<void> {
    const paths = args.map(parseTreePath);
    const to = paths.pop() ?? parseTreePath('/');
    await this.files.change(principal, signal, (tree) => move(tree, paths, to, { parents }), { isGrowing: false });
    sendNothing(response);
  }
}
