import { KeyGenCommand } from './key-gen.command.ts';
import { KeyImportCommand } from './key-import.command.ts';
import { KeyListCommand, KeyLsCommand } from './key-list.command.ts';
import { KeyRenameCommand } from './key-rename.command.ts';
import { KeyRmCommand } from './key-rm.command.ts';
import { KeySignCommand } from './key-sign.command.ts';
import { KeyVerifyCommand } from './key-verify.command.ts';
import { NameGetCommand } from './name-get.command.ts';
import { NameInspectCommand } from './name-inspect.command.ts';
import { NamePublishCommand } from './name-publish.command.ts';
import { NamePutCommand } from './name-put.command.ts';
import { NameResolveCommand } from './name-resolve.command.ts';
import { RoutingGetCommand, RoutingPutCommand } from './routing-values.command.ts';

export const nameCommands = [
  KeyGenCommand,
  KeyImportCommand,
  KeyListCommand,
  KeyLsCommand,
  KeyRenameCommand,
  KeyRmCommand,
  KeySignCommand,
  KeyVerifyCommand,
  NameGetCommand,
  NameInspectCommand,
  NamePublishCommand,
  NamePutCommand,
  NameResolveCommand,
  RoutingGetCommand,
  RoutingPutCommand,
];
