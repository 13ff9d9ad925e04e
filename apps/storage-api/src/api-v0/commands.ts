import { addCommands } from './add/commands.ts';
import { blockCommands } from './block/commands.ts';
import { dagCommands } from './dag/commands.ts';
import { filesCommands } from './files/commands.ts';
import { nodeCommands } from './node/commands.ts';
import { objectCommands } from './object/commands.ts';
import { pinCommands } from './pin/commands.ts';
import { readCommands } from './read/commands.ts';
import { repoCommands } from './repo/commands.ts';

/** Every command of the API, each a file of its own. */
export const commands = [
  ...addCommands,
  ...blockCommands,
  ...dagCommands,
  ...filesCommands,
  ...nodeCommands,
  ...objectCommands,
  ...pinCommands,
  ...readCommands,
  ...repoCommands,
];
