import { Injectable } from '@nestjs/common';
import type { Command, CommandContext } from '../command.ts';
import { sendJson } from '../write.ts';
import { repoVersion } from './repo-stat.command.ts';

/** `repo/version`: returns the version of Kubo's repository. */
@Injectable()
export class RepoVersionCommand implements Command<Record<never, never>> {
  readonly name = 'repo/version';
  readonly scope = 'read';
  readonly args = { name: 'none', min: 0, max: 0 };
  readonly options = {};

  async run({ response }: CommandContext<Record<never, never>>): Promise<void> {
    sendJson(response, { Version: repoVersion });
  }
}
