import { Injectable } from '@nestjs/common';
import manifest from '../../../package.json' with { type: 'json' };
import type { Command, CommandContext } from '../command.ts';
import { sendJson } from '../write.ts';

/** `version`: what serves here, in the fields of Kubo's answer. */
@Injectable()
export class VersionCommand implements Command {
  readonly name = 'version';
  readonly scope = 'read';
  readonly args = { name: '', min: 0, max: 0 };
  readonly options = {};

  async run({ response }: CommandContext): Promise<void> {
    sendJson(response, {
      Version: manifest.version,
      Commit: '',
      Repo: '1',
      System: `${process.arch}/${process.platform}`,
      Golang: '',
      Agent: `cairn/${manifest.version}`,
    });
  }
}
