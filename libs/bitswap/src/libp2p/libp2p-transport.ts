import type { Connection, Libp2p, PeerId, Stream } from '@libp2p/interface';
import { peerIdFromString } from '@libp2p/peer-id';
import { multiaddr } from '@multiformats/multiaddr';
import type { BitswapTransport, PeerName, Target, TransportEvents } from '../transport.ts';
import { incomingFromStream, outgoingFromStream } from './stream-adapters.ts';

/** Protocol name of bitswap with presences. */
export const bitswapProtocol = '/ipfs/bitswap/1.2.0';

/** Streams of one connection, in each direction; above the limit of the engine for one peer. */
const streamsMax = 128;

/** Runs bitswap over a js-libp2p node. Dialling rules, such as refused addresses, are those of the node. */
export function createLibp2pTransport(node: Libp2p): BitswapTransport {
  let stopListening = async () => {};
  return {
    async start(events) {
      stopListening = await listen(node, events);
    },
    stop: () => stopListening(),
    async openStream(target, { signal }) {
      const connection = await connect(node, target, signal);
      const stream = await connection.newStream(bitswapProtocol, { signal, maxOutboundStreams: streamsMax });
      return outgoingFromStream(stream);
    },
    disconnect: (peer) => node.hangUp(peerIdFromString(peer)),
  };
}

async function connect(node: Libp2p, { peer, addresses }: Target, signal: AbortSignal): Promise<Connection> {
  const peerId = peerIdFromString(peer);
  const [open] = node.getConnections(peerId);
  if (open !== undefined) return open;
  if (addresses === undefined || addresses.length === 0) return node.dial(peerId, { signal });
  // The peer ID in the address makes the handshake refuse another peer behind it.
  const suffix = `/p2p/${peer}`;
  const targets = addresses.map((address) => multiaddr(address.endsWith(suffix) ? address : `${address}${suffix}`));
  return node.dial(targets, { signal });
}

async function listen(node: Libp2p, events: TransportEvents): Promise<() => Promise<void>> {
  const known = new Set<PeerName>();
  const onConnect = ({ detail }: { readonly detail: PeerId }) => {
    const name = detail.toString();
    if (known.has(name)) return;
    known.add(name);
    events.onConnected(name);
  };
  const onDisconnect = ({ detail }: { readonly detail: PeerId }) => {
    if (known.delete(detail.toString())) events.onDisconnected(detail.toString());
  };
  const onStream = (stream: Stream, { remotePeer }: Connection) => {
    onConnect({ detail: remotePeer });
    events.onStream(remotePeer.toString(), incomingFromStream(stream));
  };
  await node.handle(bitswapProtocol, onStream, { maxInboundStreams: streamsMax, maxOutboundStreams: streamsMax });
  node.addEventListener('peer:connect', onConnect);
  node.addEventListener('peer:disconnect', onDisconnect);
  for (const peer of node.getPeers()) onConnect({ detail: peer });
  return async () => {
    node.removeEventListener('peer:connect', onConnect);
    node.removeEventListener('peer:disconnect', onDisconnect);
    await node.unhandle(bitswapProtocol);
  };
}
