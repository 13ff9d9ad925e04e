import { ObjectDiffCommand } from './object-diff.command.ts';
import { ObjectPatchAddLinkCommand, ObjectPatchRmLinkCommand } from './object-patch.command.ts';

export const objectCommands = [ObjectDiffCommand, ObjectPatchAddLinkCommand, ObjectPatchRmLinkCommand];
