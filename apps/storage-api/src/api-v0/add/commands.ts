import { AddCommand } from './add.command.ts';

export const addCommands = [AddCommand];
