import { ObjectPatchAddLinkCommand, ObjectPatchRmLinkCommand } from './object-patch.command.ts';

export const objectCommands = [ObjectPatchAddLinkCommand, ObjectPatchRmLinkCommand];
