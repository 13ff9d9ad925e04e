import { IdCommand } from './id.command.ts';
import { VersionCommand } from './version.command.ts';

export const nodeCommands = [IdCommand, VersionCommand];
