import { BlockGetCommand } from './block-get.command.ts';
import { BlockPutCommand } from './block-put.command.ts';
import { BlockRmCommand } from './block-rm.command.ts';
import { BlockStatCommand } from './block-stat.command.ts';

export const blockCommands = [BlockGetCommand, BlockPutCommand, BlockRmCommand, BlockStatCommand];
