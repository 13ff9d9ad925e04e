import { DagExportCommand } from './dag-export.command.ts';
import { DagGetCommand } from './dag-get.command.ts';
import { DagImportCommand } from './dag-import.command.ts';
import { DagPutCommand } from './dag-put.command.ts';
import { DagResolveCommand } from './dag-resolve.command.ts';
import { DagStatCommand } from './dag-stat.command.ts';

export const dagCommands = [
  DagExportCommand,
  DagGetCommand,
  DagImportCommand,
  DagPutCommand,
  DagResolveCommand,
  DagStatCommand,
];
