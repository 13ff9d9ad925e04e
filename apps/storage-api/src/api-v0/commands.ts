import { addCommands } from './add/commands.ts';
import { nodeCommands } from './node/commands.ts';
import { pinCommands } from './pin/commands.ts';
import { readCommands } from './read/commands.ts';

/** Every command of the API, each a file of its own. */
export const commands = [...addCommands, ...readCommands, ...pinCommands, ...nodeCommands];
