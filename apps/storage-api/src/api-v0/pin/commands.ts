import { PinAddCommand } from './pin-add.command.ts';
import { PinLsCommand } from './pin-ls.command.ts';
import { PinRmCommand } from './pin-rm.command.ts';
import { PinUpdateCommand } from './pin-update.command.ts';
import { PinVerifyCommand } from './pin-verify.command.ts';

export const pinCommands = [PinAddCommand, PinLsCommand, PinRmCommand, PinUpdateCommand, PinVerifyCommand];
