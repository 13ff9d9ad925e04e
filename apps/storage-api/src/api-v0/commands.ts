import { addCommands } from './add/commands.ts';
import { blockCommands } from './block/commands.ts';
import { cidCommands } from './cid/commands.ts';
import { type Command } from './command.ts';
import { configCommands } from './config/commands.ts';
import { dagCommands } from './dag/commands.ts';
import { filesCommands } from './files/commands.ts';
import { multibaseCommands } from './multibase/commands.ts';
import { nameCommands } from './names/commands.ts';
import { nodeCommands } from './node/commands.ts';
import { CommandsListCommand } from './node/commands-list.command.ts';
import { objectCommands } from './object/commands.ts';
import { peerCommands } from './peer/commands.ts';
import type { PeerServices } from './peer/peer-command.ts';
import { pinCommands } from './pin/commands.ts';
import { readCommands } from './read/commands.ts';
import { refusedCommands } from './refused/refused-command.ts';
import { repoCommands } from './repo/commands.ts';

/** Every command of the API, one file each. */
export const commands = [
  ...addCommands,
  ...blockCommands,
  ...cidCommands,
  ...configCommands,
  ...dagCommands,
  ...filesCommands,
  ...multibaseCommands,
  ...nameCommands,
  ...nodeCommands,
  ...objectCommands,
  ...pinCommands,
  ...readCommands,
  ...repoCommands,
];

/** Adds the commands of the peer, the command that lists others, and those that are refused. */
export function withListing(working: readonly Command[], services?: PeerServices): readonly Command[] {
  const ofPeer = peerCommands(services);
  const offered = [...working, ...ofPeer.filter(({ isRefused }) => !isRefused)];
  return [...working, ...ofPeer, new CommandsListCommand(offered), ...refusedCommands];
}
