import { parseTreePath } from '@cairn/mfs';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { StorageSettings } from '../../settings.ts';
import type { Command, CommandContext } from '../command.ts';
import { namingFor, namingOptions } from '../naming.ts';
import { argument } from '../paths.ts';
import { endLines } from '../write.ts';
import { Files } from './files.ts';
import { flushOption } from './flush-option.ts';

const options = {
  ...flushOption,
  parents: { kind: 'boolean', alias: 'p', default: false },
  ...namingOptions,
} as const;

/** `files/mkdir`: creates a directory. As in Kubo, it has neither mode nor time. */
@Injectable()
export class FilesMkdirCommand implements Command<typeof options> {
  readonly name = 'files/mkdir';
  readonly scope = 'add';
  readonly args = { name: 'path', min: 1, max: 1 };
  readonly options = options;

  constructor(
    @Inject(Files) private readonly files: Files,
    @Inject(SETTINGS) private readonly settings: StorageSettings,
  ) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const path = parseTreePath(argument(args, 0, 'path'));
    const how = { parents: chosen.parents, naming: namingFor(this.settings, chosen) };
    await this.files.change(principal, signal, (tree) => tree.makeDirectory(path, how));
    endLines(response);
  }
}
