import { changeMode, parseModeChange, parseTreePath } from '@cairn/mfs';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { argument } from '../paths.ts';
import { sendNothing } from '../write.ts';
import { Files } from './files.ts';

const options = { mode: { kind: 'text' }, recursive: { kind: 'boolean', default: false } } as const;

/** `files/chmod`: the mode comes as Kubo's first argument, or as the option `mode` as clients in JavaScript send it. */
@Injectable()
export class FilesChmodCommand implements Command<typeof options> {
  readonly name = 'files/chmod';
  readonly scope = 'add';
  readonly args = { name: 'mode and path', min: 1, max: 2 };
  readonly options = options;

  constructor(@Inject(Files) private readonly files: Files) {}

  async run(context: CommandContext<typeof options>): Promise<void> {
    const { principal, args, response, signal } = context;
    const { mode, recursive } = context.options;
    const change = parseModeChange(mode ?? argument(args, 0, 'mode'));
    const path = parseTreePath(argument(args, mode === undefined ? 1 : 0, 'path'));
    await this.files.change(principal, signal, (tree) => changeMode(tree, path, change, { recursive }), {
      isGrowing: false,
    });
    sendNothing(response);
  }
}
