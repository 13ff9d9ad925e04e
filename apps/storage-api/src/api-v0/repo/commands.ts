import { RepoGcCommand } from './repo-gc.command.ts';
import { RepoStatCommand, StatsRepoCommand } from './repo-stat.command.ts';
import { RepoVerifyCommand } from './repo-verify.command.ts';
import { RepoVersionCommand } from './repo-version.command.ts';

export const repoCommands = [RepoGcCommand, RepoStatCommand, RepoVerifyCommand, RepoVersionCommand, StatsRepoCommand];
