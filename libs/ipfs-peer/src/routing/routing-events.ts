import type { Provider } from '@cairn/block-exchange';
import type { RoutingEvent } from '@cairn/peer-api';
import type { PeerInfo } from '@libp2p/interface';
import type { QueryEvent } from '@libp2p/kad-dht';
import { peerLimits } from '../limits.ts';

/** Converts a peer of js-libp2p. Addresses are cut: peers announce any number. */
export function providerFromPeerInfo({ id, multiaddrs }: PeerInfo): Provider {
  return { peer: id.toString(), addresses: multiaddrs.slice(0, peerLimits.listedAddressesMax).map(String) };
}

/** Converts an event of js-libp2p. Values are not part of the progress: the caller validates them first. */
export function routingEventsFrom(event: QueryEvent): RoutingEvent[] {
  switch (event.name) {
    case 'SEND_QUERY':
      return [{ type: 'query', peer: event.to.toString() }];
    case 'PEER_RESPONSE':
      return [{ type: 'response', peer: event.from.toString(), closer: event.closer.map(providerFromPeerInfo) }];
    case 'PROVIDER':
      return event.providers.map((provider) => ({ type: 'provider', provider: providerFromPeerInfo(provider) }));
    case 'FINAL_PEER':
      return [{ type: 'peer', provider: providerFromPeerInfo(event.peer) }];
    case 'QUERY_ERROR':
      return [{ type: 'error', peer: event.from.toString(), message: event.error.message.slice(0, 200) }];
    default:
      return [];
  }
}
