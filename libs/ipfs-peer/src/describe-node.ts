import type { NodeDescription } from '@cairn/peer-api';
import { publicKeyToProtobuf } from '@libp2p/crypto/keys';
import type { Peer, PeerId } from '@libp2p/interface';
import { peerLimits } from './limits.ts';
import type { Node } from './node/create-node.ts';

/** Protocol version that Kubo sends. Others refuse nodes of another network by it. */
const protocolVersion = 'ipfs/0.1.0';

/** Describes this node. */
export function describeOwnNode(node: Node, { agentVersion }: { readonly agentVersion: string }): NodeDescription {
  return {
    id: node.peerId.toString(),
    publicKey: publicKeyOf(node.peerId),
    addresses: withPeerId(node.getMultiaddrs(), node.peerId),
    agentVersion,
    protocolVersion,
    protocols: node.getProtocols(),
  };
}

/** Describes another node from what identify reported. */
export function describeKnownPeer(peer: Peer): NodeDescription {
  const addresses = peer.addresses.slice(0, peerLimits.listedAddressesMax).map((known) => known.multiaddr);
  return {
    id: peer.id.toString(),
    publicKey: publicKeyOf(peer.id),
    addresses: withPeerId(addresses, peer.id),
    agentVersion: metadataOf(peer, 'AgentVersion') ?? '',
    protocolVersion: metadataOf(peer, 'ProtocolVersion') ?? '',
    protocols: [...peer.protocols].sort(),
  };
}

/** Returns text that identify stored about a peer. */
export function metadataOf(peer: Peer, name: string): string | undefined {
  const bytes = peer.metadata.get(name);
  return bytes === undefined ? undefined : Buffer.from(bytes).toString().slice(0, metadataLengthMax);
}

/** Longest name of an agent that is repeated. */
const metadataLengthMax = 256;

function publicKeyOf({ publicKey }: PeerId): string {
  return publicKey === undefined ? '' : Buffer.from(publicKeyToProtobuf(publicKey)).toString('base64');
}

function withPeerId(addresses: readonly { toString(): string }[], peer: PeerId): string[] {
  const suffix = `/p2p/${peer}`;
  return addresses.map(String).map((address) => (address.endsWith(suffix) ? address : `${address}${suffix}`));
}
