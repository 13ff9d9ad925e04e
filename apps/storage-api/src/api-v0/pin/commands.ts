import { PinAddCommand } from './pin-add.command.ts';
import { PinRmCommand } from './pin-rm.command.ts';

export const pinCommands = [PinAddCommand, PinRmCommand];
