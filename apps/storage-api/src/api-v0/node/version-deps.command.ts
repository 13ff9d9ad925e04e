import { Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { endLines, writeLine } from '../write.ts';
import { type Dependency, listDependencies } from './dependencies.ts';

/** `version/deps`: lists the packages of this service, in the fields of Kubo's response. */
@Injectable()
export class VersionDepsCommand implements Command<Record<never, never>> {
  readonly name = 'version/deps';
  readonly scope = 'read';
  readonly args = { name: '', min: 0, max: 0 };
  readonly options = {};
  /** Read once: packages do not change while the service runs. */
  #dependencies: Promise<readonly Dependency[]> | undefined;

  async run({ response, signal }: CommandContext<Record<never, never>>): Promise<void> {
    this.#dependencies ??= listDependencies().catch((error: unknown) => {
      this.#dependencies = undefined;
      throw error;
    });
    for (const { name, version } of await this.#dependencies)
      await writeLine(response, { Path: name, Version: `v${version}`, ReplacedBy: '', Sum: '' }, signal);
    endLines(response);
  }
}
