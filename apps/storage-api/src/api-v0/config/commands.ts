import { ConfigCommand, ConfigShowCommand } from './config.command.ts';

export const configCommands = [ConfigCommand, ConfigShowCommand];
