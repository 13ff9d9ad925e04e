import { VersionCommand } from './version.command.ts';

export const nodeCommands = [VersionCommand];
