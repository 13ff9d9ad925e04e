import { isCairnError } from '@cairn/errors';
import { ApiError } from '../api-error.ts';
import { sendJson } from '../write.ts';
import { namingHostOf, type ReadTxt, withNamedPeers } from './named-peers.ts';
import { parsePeerAddress } from './peer-address.ts';
import { definePeerCommand, offlineAnswers } from './peer-command.ts';

const args = { name: 'address', min: 1, max: 100 } as const;

/**
 * `swarm/connect`: connects to peers. Several addresses of one peer are tried in order.
 * @param readTxt replaces DNS
 */
export const swarmConnectOver = (readTxt?: ReadTxt) =>
  definePeerCommand({
    name: 'swarm/connect',
    scope: 'read',
    grant: 'node',
    options: {},
    args,
    offline: offlineAnswers.action,
    isQuery: true,
    check: ({ args: given }) => checkAddresses(given),
    async run({ peer, args: given, response, within }) {
      const lines = await within(async (signal) => {
        const done: string[] = [];
        const { id: self } = await peer.describe(undefined, { signal });
        for (const [id, addresses] of byPeer(await withNamedPeers(given, readTxt))) {
          const fail = (reason: string) => new ApiError(500, `connect ${id} failure: failed to dial: ${reason}`);
          if (id === self) throw fail('dial to self attempted');
          await connectToAny(addresses, (address) => peer.swarm.connect(address, { signal })).catch(
            (error: unknown) => {
              signal.throwIfAborted();
              throw isCairnError(error) ? fail(error.message) : error;
            },
          );
          done.push(`connect ${id} success`);
        }
        return done;
      });
      sendJson(response, { Strings: lines });
    },
  });

export const swarmConnect = swarmConnectOver();

/** `swarm/disconnect`: closes connections, with one line for each address, or for a peer that is named alone. */
export const swarmDisconnect = definePeerCommand({
  name: 'swarm/disconnect',
  scope: 'read',
  grant: 'node',
  options: {},
  args,
  offline: offlineAnswers.action,
  check: ({ args: given }) => checkAddresses(given),
  async run({ peer, args: given, response, within }) {
    const addresses = [...byPeer(await within(() => withNamedPeers(given))).values()].flat();
    const lines: string[] = [];
    for (const { text, peer: id, transport } of addresses.map((address) => parsePeerAddress(address))) {
      const outcome = await within(async () => {
        try {
          await peer.swarm.disconnect(text);
          return 'success';
        } catch (error) {
          if (!isCairnError(error, 'PEER_NOT_CONNECTED')) throw error;
          return `failure: ${transport === undefined ? 'not connected' : 'conn not found'}`;
        }
      });
      lines.push(`disconnect ${id.text} ${outcome}`);
    }
    sendJson(response, { Strings: lines });
  },
});

/** @throws ApiError 400 for an address that names no peer */
function checkAddresses(given: readonly string[]): void {
  for (const address of given) if (namingHostOf(address) === undefined) parsePeerAddress(address);
}

/** Groups addresses by peer, each once. */
function byPeer(given: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const grouped = new Map<string, string[]>();
  for (const { peer, text } of given.map((address) => parsePeerAddress(address))) {
    const list = grouped.get(peer.text) ?? [];
    grouped.set(peer.text, list.includes(text) ? list : [...list, text]);
  }
  return grouped;
}

async function connectToAny(addresses: readonly string[], connect: (address: string) => Promise<unknown>) {
  let failure: unknown;
  for (const address of addresses) {
    try {
      return await connect(address);
    } catch (error) {
      failure = error;
    }
  }
  throw failure;
}
