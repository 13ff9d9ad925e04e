import { Mfs } from '@cairn/mfs';
import { Pinning } from '@cairn/pinning';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { StorageSettings } from '../../settings.ts';
import type { Command, CommandContext } from '../command.ts';
import { sendJson } from '../write.ts';
import { WriteSessions } from '../write-sessions.ts';

const options = {
  'size-only': { kind: 'boolean', default: false },
  human: { kind: 'boolean', default: false },
} as const;

/** Version of the repository of Kubo 0.42, whose wire this service follows. */
export const repoVersion = '18';

/** `repo/stat` and `stats/repo`: returns the usage and the quota of the account. The shared store is not reported. */
abstract class StatCommand implements Command<typeof options> {
  abstract readonly name: string;
  readonly scope = 'read';
  readonly args = { name: 'none', min: 0, max: 0 };
  readonly worksOnDenied = true;
  readonly options = options;

  constructor(
    @Inject(Pinning) private readonly pinning: Pinning,
    @Inject(Mfs) private readonly mfs: Mfs,
    @Inject(WriteSessions) private readonly sessions: WriteSessions,
    @Inject(SETTINGS) private readonly settings: StorageSettings,
  ) {}

  async run({ principal, options: chosen, response }: CommandContext<typeof options>): Promise<void> {
    const { id } = principal.account;
    const { bytes, blocks } = await this.pinning.usage(id);
    const claimed = await this.pinning.claimed(id);
    // Without a limit Kubo returns the largest 64-bit number; clients parse it as a number.
    const RepoSize = bytes + claimed.bytes + (await this.mfs.usage(id));
    const sizes = {
      RepoSize,
      StorageMax:
        this.sessions.quotaOf(principal.account) ?? this.settings.STORAGE_BYTES_MAX ?? Number.MAX_SAFE_INTEGER,
    };
    if (chosen['size-only']) sendJson(response, { ...sizes, NumObjects: 0, RepoPath: '', Version: '' });
    else
      sendJson(response, {
        ...sizes,
        NumObjects: blocks + claimed.blocks,
        RepoPath: id,
        Version: `fs-repo@${repoVersion}`,
      });
  }
}

@Injectable()
export class RepoStatCommand extends StatCommand {
  readonly name = 'repo/stat';
}

@Injectable()
export class StatsRepoCommand extends StatCommand {
  readonly name = 'stats/repo';
}
