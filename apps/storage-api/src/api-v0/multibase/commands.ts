import { MultibaseListCommand } from '../cid/cid-lists.command.ts';
import { MultibaseDecodeCommand, MultibaseEncodeCommand, MultibaseTranscodeCommand } from './multibase.command.ts';

export const multibaseCommands = [
  MultibaseDecodeCommand,
  MultibaseEncodeCommand,
  MultibaseListCommand,
  MultibaseTranscodeCommand,
];
