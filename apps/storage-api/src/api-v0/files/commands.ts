import { FilesChcidCommand } from './files-chcid.command.ts';
import { FilesChmodCommand } from './files-chmod.command.ts';
import { FilesChrootCommand } from './files-chroot.command.ts';
import { FilesCpCommand } from './files-cp.command.ts';
import { FilesFlushCommand } from './files-flush.command.ts';
import { FilesLsCommand } from './files-ls.command.ts';
import { FilesMkdirCommand } from './files-mkdir.command.ts';
import { FilesMvCommand } from './files-mv.command.ts';
import { FilesReadCommand } from './files-read.command.ts';
import { FilesRmCommand } from './files-rm.command.ts';
import { FilesStatCommand } from './files-stat.command.ts';
import { FilesTouchCommand } from './files-touch.command.ts';
import { FilesWriteCommand } from './files-write.command.ts';

export const filesCommands = [
  FilesChcidCommand,
  FilesChmodCommand,
  FilesChrootCommand,
  FilesCpCommand,
  FilesFlushCommand,
  FilesLsCommand,
  FilesMkdirCommand,
  FilesMvCommand,
  FilesReadCommand,
  FilesRmCommand,
  FilesStatCommand,
  FilesTouchCommand,
  FilesWriteCommand,
];
