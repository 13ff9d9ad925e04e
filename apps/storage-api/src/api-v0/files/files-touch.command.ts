import { parseTreePath, touch } from '@cairn/mfs';
import type { Settings } from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { metadataFrom, metadataOptions } from '../metadata-options.ts';
import { namingFor, namingOptions } from '../naming.ts';
import { argument } from '../paths.ts';
import { sendNothing } from '../write.ts';
import { Files } from './files.ts';

const { mtime, 'mtime-nsecs': nanoseconds } = metadataOptions;
const options = {
  mtime,
  'mtime-nsecs': nanoseconds,
  parents: { kind: 'boolean', default: false },
  ...namingOptions,
} as const;

/** `files/touch`: sets the time of a file or directory, now or the one given; makes a file that is not there. */
@Injectable()
export class FilesTouchCommand implements Command<typeof options> {
  readonly name = 'files/touch';
  readonly scope = 'add';
  readonly args = { name: 'path', min: 1, max: 1 };
  readonly options = options;

  constructor(
    @Inject(Files) private readonly files: Files,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const path = parseTreePath(argument(args, 0, 'path'));
    const now = Date.now();
    const current = { seconds: Math.floor(now / 1000), nanoseconds: (now % 1000) * 1_000_000 };
    const { mtime: given = current } = metadataFrom({ ...chosen, mode: undefined });
    const how = { mtime: given, parents: chosen.parents, naming: namingFor(this.settings, chosen) };
    await this.files.change(principal, signal, (tree) => touch(tree, path, how));
    sendNothing(response);
  }
}
