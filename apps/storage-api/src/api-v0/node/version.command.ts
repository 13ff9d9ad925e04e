import { Injectable } from '@nestjs/common';
import manifest from '../../../package.json' with { type: 'json' };
import type { Command, CommandContext } from '../command.ts';
import { repoVersion } from '../repo/repo-stat.command.ts';
import { sendJson } from '../write.ts';

// The CLI prints the part that these options select. The response always has all of them.
const options = {
  number: { kind: 'boolean', alias: 'n' },
  commit: { kind: 'boolean' },
  repo: { kind: 'boolean' },
  all: { kind: 'boolean' },
} as const;

/** Go's names of architectures, where Node has others. */
const goArchitectures: Readonly<Record<string, string>> = { x64: 'amd64', ia32: '386' };

/** `version`: returns the version of this service, in the fields of Kubo's response. */
@Injectable()
export class VersionCommand implements Command<typeof options> {
  readonly name = 'version';
  readonly scope = 'read';
  readonly args = { name: '', min: 0, max: 0 };
  readonly options = options;

  async run({ response }: CommandContext<typeof options>): Promise<void> {
    sendJson(response, {
      Version: manifest.version,
      Commit: '',
      Repo: repoVersion,
      System: `${goArchitectures[process.arch] ?? process.arch}/${process.platform}`,
      Golang: '',
    });
  }
}
