import { IdCommand } from './id.command.ts';
import { NamePubsubStateCommand } from './name-pubsub-state.command.ts';
import { PinRemoteServiceLsCommand } from './pin-remote-service-ls.command.ts';
import { StatsBwCommand } from './stats-bw.command.ts';
import { VersionCommand } from './version.command.ts';
import { VersionDepsCommand } from './version-deps.command.ts';

export const nodeCommands = [
  IdCommand,
  NamePubsubStateCommand,
  PinRemoteServiceLsCommand,
  StatsBwCommand,
  VersionCommand,
  VersionDepsCommand,
];
