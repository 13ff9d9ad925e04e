import { CidBase32Command, CidFormatCommand } from './cid-format.command.ts';
import { CidInspectCommand } from './cid-inspect.command.ts';
import { CidBasesCommand, CidCodecsCommand, CidHashesCommand } from './cid-lists.command.ts';

export const cidCommands = [
  CidBase32Command,
  CidBasesCommand,
  CidCodecsCommand,
  CidFormatCommand,
  CidHashesCommand,
  CidInspectCommand,
];
