import { type CopySource, copyInto, parseTreePath } from '@cairn/mfs';
import type { Settings } from '@cairn/service-kit';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { namingFor, namingOptions } from '../naming.ts';
import { sendNothing } from '../write.ts';
import { explained } from './explained.ts';
import { Files } from './files.ts';

const options = {
  parents: { kind: 'boolean', default: false },
  force: { kind: 'boolean', default: false },
  ...namingOptions,
} as const;

/** `files/cp`: copies files and directories, from the tree or from any content, by reference. */
@Injectable()
export class FilesCpCommand implements Command<typeof options> {
  readonly name = 'files/cp';
  readonly scope = 'add';
  readonly args = { name: 'source and dest', min: 2, max: 1000 };
  readonly options = options;

  constructor(
    @Inject(Files) private readonly files: Files,
    @Inject(SETTINGS) private readonly settings: Settings,
  ) {}

  async run({ principal, args, options: chosen, response, signal }: CommandContext<typeof options>): Promise<void> {
    const { parents, force } = chosen;
    const to = args.at(-1) ?? '';
    const destination = parseTreePath(to);
    const naming = namingFor(this.settings, chosen);
    await this.files.change(principal, signal, async (tree, session) => {
      const sources: CopySource[] = [];
      for (const path of args.slice(0, -1)) {
        sources.push(
          await explained(`cp: cannot get node from path ${path}`, () => this.files.locate(tree, path, signal)),
        );
      }
      await explained(`cp: cannot put node in path ${to}`, () =>
        copyInto(tree, sources, destination, { session, parents, force, naming }),
      );
    });
    sendNothing(response);
  }
}
