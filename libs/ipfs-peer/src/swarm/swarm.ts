import { type ConnectedPeer, type PeerApi, PeerApiError } from '@cairn/peer-api';
import { timeLimit } from '@cairn/platform';
import type { Connection } from '@libp2p/interface';
import type { AddressFilters } from '../addresses/address-filters.ts';
import { type PeerAddress, parsePeerAddress, parsePeerId } from '../addresses/parse-address.ts';
import { metadataOf } from '../describe-node.ts';
import { peerLimits } from '../limits.ts';
import type { Node } from '../node/create-node.ts';
import type { OperatorDialer } from './dial.ts';
import type { Peering } from './peering.ts';

/** Creates the part of the port that lists and changes connections. */
export function createSwarm(
  node: Node,
  { dialer, peering, filters }: { dialer: OperatorDialer; peering: Peering; filters: AddressFilters },
): PeerApi['swarm'] {
  return {
    peers: () => connectedPeers(node),
    addresses: () => knownAddresses(node),
    listenAddresses: async () => node.getMultiaddrs().map((address) => address.toString().replace(/\/p2p\/[^/]+$/, '')),
    async connect(address, { signal } = {}) {
      const parsed = parsePeerAddress(address);
      await dialer.dial(parsed, signal);
      return { peer: parsed.peer.toString() };
    },
    async disconnect(address) {
      const parsed = parsePeerAddress(address);
      await disconnect(node, parsed);
      return { peer: parsed.peer.toString() };
    },
    peering: async () => peering.list(),
    async addPeering(address) {
      const parsed = parsePeerAddress(address);
      await peering.add(parsed);
      return { peer: parsed.peer.toString() };
    },
    removePeering: async (peer) => await peering.remove(parsePeerId(peer).toString()),
    filters: async () => filters.list(),
    addFilters: (added) => filters.add(added),
    removeFilters: (removed) => filters.remove(removed),
  };
}

async function connectedPeers(node: Node): Promise<ConnectedPeer[]> {
  return await Promise.all(node.getConnections().map((connection) => describeConnection(node, connection)));
}

async function describeConnection(node: Node, connection: Connection): Promise<ConnectedPeer> {
  const known = await node.peerStore.get(connection.remotePeer).catch(() => undefined);
  const agentVersion = known && metadataOf(known, 'AgentVersion');
  return {
    peer: connection.remotePeer.toString(),
    address: connection.remoteAddr.toString().replace(/\/p2p\/[^/]+$/, ''),
    direction: connection.direction,
    ...(agentVersion !== undefined && { agentVersion }),
    ...(connection.rtt !== undefined && { latencyMs: connection.rtt }),
    streams: connection.streams.map(({ protocol }) => protocol),
  };
}

async function knownAddresses(node: Node): Promise<ReadonlyMap<string, readonly string[]>> {
  const peers = await node.peerStore.all({ limit: peerLimits.listedPeersMax });
  return new Map(
    peers.map((peer) => [
      peer.id.toString(),
      peer.addresses.slice(0, peerLimits.listedAddressesMax).map(({ multiaddr }) => multiaddr.toString()),
    ]),
  );
}

/** Closes the connections at an address, or all connections to a peer. @throws PEER_NOT_CONNECTED */
async function disconnect(node: Node, { peer, transport }: PeerAddress): Promise<void> {
  const open = node.getConnections(peer);
  const text = transport?.toString();
  const chosen =
    text === undefined
      ? open
      : open.filter(({ remoteAddr }) => remoteAddr.toString().replace(/\/p2p\/[^/]+$/, '') === text);
  if (chosen.length === 0)
    throw new PeerApiError('PEER_NOT_CONNECTED', `There is no connection to ${text ?? ''}/p2p/${peer}.`, {
      hint: 'List the connections with `swarm peers`.',
    });
  await Promise.all(chosen.map((connection) => closeConnection(connection)));
}

async function closeConnection(connection: Connection): Promise<void> {
  try {
    await connection.close({ signal: timeLimit(closeMs) });
  } catch (error) {
    connection.abort(error instanceof Error ? error : new Error(String(error)));
  }
}

/** Time of a graceful close, in milliseconds. */
const closeMs = 2000;
