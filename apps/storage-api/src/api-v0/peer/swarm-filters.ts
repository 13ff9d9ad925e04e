import { isCairnError } from '@cairn/errors';
import { ApiError } from '../api-error.ts';
import { sendJson } from '../write.ts';
import { definePeerCommand, offlineAnswers, type PeerCommandDefinition } from './peer-command.ts';

const listed = {
  scope: 'read',
  grant: 'node',
  options: {},
  offline: offlineAnswers.command,
} as const;
const some = { name: 'address', min: 1, max: 1000 } as const;

/** `swarm/filters` and its subcommands: networks with which the peer opens no new connection. Changes are durable. */
export const swarmFilterCommands: readonly PeerCommandDefinition[] = [
  definePeerCommand({
    ...listed,
    name: 'swarm/filters',
    args: { name: '', min: 0, max: 0 },
    async run({ peer, response, within }) {
      const filters = await within(() => peer.swarm.filters());
      sendJson(response, { Strings: filters.length === 0 ? null : filters });
    },
  }),
  definePeerCommand({
    ...listed,
    name: 'swarm/filters/add',
    args: some,
    async run({ peer, args, response, within }) {
      await inKubosWords(within(() => peer.swarm.addFilters(args)));
      sendJson(response, { Strings: args });
    },
  }),
  definePeerCommand({
    ...listed,
    name: 'swarm/filters/rm',
    args: some,
    async run({ peer, args, response, within }) {
      sendJson(response, { Strings: await inKubosWords(within(() => peer.swarm.removeFilters(args))) });
    },
  }),
];

/** @throws ApiError 500 in the words of go-multiaddr for an address that is no filter */
async function inKubosWords<T>(call: Promise<T>): Promise<T> {
  try {
    return await call;
  } catch (error) {
    if (isCairnError(error, 'ADDRESS_INVALID')) throw new ApiError(500, 'invalid multiaddr-filter format');
    throw error;
  }
}
