import { parseTreePath } from '@cairn/mfs';
import type { Settings } from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { metadataFrom, metadataOptions } from '../metadata-options.ts';
import { namingFor, namingOptions } from '../naming.ts';
import { sendNothing } from '../write.ts';
import { Files } from './files.ts';

const options = {
  parents: { kind: 'boolean', default: false },
  p: { kind: 'boolean', default: false },
  ...namingOptions,
  ...metadataOptions,
} as const;

/** `files/mkdir`: makes a directory. */
@Injectable()
export class FilesMkdirCommand implements Command<typeof options> {
  readonly name = 'files/mkdir';
  readonly scope = 'add';
  readonly args = { name: 'path', min: 1, max: 1 };
  readonly options = options;

  constructor(
    @Inject(Files) private readonly files: Files,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const path = parseTreePath(args[0] ?? '');
    const parents = chosen.parents || chosen.p;
    const { cidVersion, hash } = namingFor(this.settings, chosen);
    const naming = { ...(cidVersion !== undefined && { cidVersion }), ...(hash !== undefined && { hash }) };
    const how = { parents, naming, ...metadataFrom(chosen) };
    await this.files.change(principal, signal, (tree) => tree.makeDirectory(path, how));
    sendNothing(response);
  }
}
