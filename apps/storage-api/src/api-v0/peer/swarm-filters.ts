import { ApiError } from '../api-error.ts';
import { definePeerCommand, offlineAnswers, type PeerCommandDefinition } from './peer-command.ts';

/** Refuses a command about address filters: they are a setting, which a restart of the peer would restore. */
const refusedAs = (name: string, args: PeerCommandDefinition['args']) =>
  definePeerCommand({
    name,
    scope: 'read',
    grant: 'node',
    options: {},
    args,
    offline: offlineAnswers.command,
    async run() {
      throw new ApiError(
        500,
        `${name} is refused: address rules are a setting of the IPFS peer. It dials private addresses only with IPFS_PEER_ALLOW_PRIVATE=yes. Set it and restart the peer.`,
      );
    },
  });

const one = { name: 'address', min: 1, max: 100 } as const;

/** `swarm/filters` and its subcommands. */
export const swarmFilterCommands: readonly PeerCommandDefinition[] = [
  refusedAs('swarm/filters', { name: '', min: 0, max: 0 }),
  refusedAs('swarm/filters/add', one),
  refusedAs('swarm/filters/rm', one),
];
