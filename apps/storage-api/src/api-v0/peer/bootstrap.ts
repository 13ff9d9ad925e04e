import { sendJson } from '../write.ts';
import { definePeerCommand, offlineAnswers, type PeerCommandDefinition } from './peer-command.ts';
import { refusePeerCommand } from './refuse-peer-command.ts';

const none = { name: '', min: 0, max: 0 } as const;
const many = { name: 'peer', min: 0, max: 100 } as const;

/** `bootstrap` and `bootstrap/list`: lists the addresses by which the peer enters the network. */
const listAs = (name: string) =>
  definePeerCommand({
    name,
    scope: 'read',
    grant: 'node',
    options: { 'expand-auto': { kind: 'boolean' } },
    args: none,
    offline: offlineAnswers.command,
    async run({ peer, response, within }) {
      sendJson(response, { Peers: [...(await within(() => peer.bootstrapAddresses()))].sort() });
    },
  });

/** A restart of the peer would restore the list. */
const reason = 'bootstrap addresses are a setting of the IPFS peer. Set IPFS_PEER_BOOTSTRAP and restart it.';

export const bootstrapCommands: readonly PeerCommandDefinition[] = [
  listAs('bootstrap'),
  listAs('bootstrap/list'),
  refusePeerCommand('bootstrap/add', many, reason),
  refusePeerCommand('bootstrap/rm', many, reason),
  refusePeerCommand('bootstrap/rm/all', none, reason),
];
