import { CatCommand } from './cat.command.ts';

export const readCommands = [CatCommand];
