import { CatCommand } from './cat.command.ts';
import { GetCommand } from './get.command.ts';
import { LsCommand } from './ls.command.ts';
import { RefsCommand } from './refs.command.ts';
import { RefsLocalCommand, RepoLsCommand } from './refs-local.command.ts';
import { ResolveCommand } from './resolve.command.ts';

export const readCommands = [
  CatCommand,
  GetCommand,
  LsCommand,
  RefsCommand,
  RefsLocalCommand,
  RepoLsCommand,
  ResolveCommand,
];
