import type { PeerCommandDefinition } from './peer-command.ts';
import { refusePeerCommand } from './refuse-peer-command.ts';

const one = { name: 'address', min: 1, max: 100 } as const;

/** A restart of the peer would restore the rules. */
const reason =
  'address rules are a setting of the IPFS peer. It dials private addresses only with IPFS_PEER_ALLOW_PRIVATE=yes. Set it and restart the peer.';

/** `swarm/filters` and its subcommands. */
export const swarmFilterCommands: readonly PeerCommandDefinition[] = [
  refusePeerCommand('swarm/filters', { name: '', min: 0, max: 0 }, reason),
  refusePeerCommand('swarm/filters/add', one, reason),
  refusePeerCommand('swarm/filters/rm', one, reason),
];
