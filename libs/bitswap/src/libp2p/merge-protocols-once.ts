import type { Peer, PeerId, PeerStore } from '@libp2p/interface';

/** Peers whose protocols are remembered, and the time in milliseconds after which they are merged again. */
const limits = { peersMax: 1024, ageMs: 60_000 } as const;

interface Merged {
  readonly at: number;
  readonly protocols: Map<string, Peer>;
}

type Merge = PeerStore['merge'];

/**
 * Merges a protocol of a peer into the peer store once a minute. js-libp2p does it for each stream, and reads, decodes and
 * compares the record of the peer each time. Kubo opens one stream for each block. Bench: tools/bench/ipfs-peer/services.mjs.
 */
export function mergeProtocolsOnce(peerStore: Pick<PeerStore, 'merge'>): void {
  const merge: Merge = peerStore.merge.bind(peerStore);
  const peers = new Map<string, Merged>();
  peerStore.merge = async (id, data, options) => {
    const protocol = onlyProtocol(data);
    if (protocol === undefined) return await merge(id, data, options);
    const merged = mergedOf(peers, id);
    const known = merged.protocols.get(protocol);
    if (known !== undefined) return known;
    const peer = await merge(id, data, options);
    merged.protocols.set(protocol, peer);
    return peer;
  };
}

/** Returns the protocol of data that has nothing else. */
function onlyProtocol(data: Parameters<Merge>[1]): string | undefined {
  const { protocols, ...others } = data;
  return protocols?.length === 1 && Object.keys(others).length === 0 ? protocols[0] : undefined;
}

function mergedOf(peers: Map<string, Merged>, id: PeerId): Merged {
  const name = id.toString();
  const known = peers.get(name);
  const now = performance.now();
  if (known !== undefined && now - known.at < limits.ageMs) return known;
  const merged: Merged = { at: now, protocols: new Map() };
  peers.delete(name);
  peers.set(name, merged);
  if (peers.size > limits.peersMax) peers.delete(oldestOf(peers));
  return merged;
}

/** A map keeps the order of its insertions. */
function oldestOf(peers: ReadonlyMap<string, Merged>): string {
  const [oldest = ''] = peers.keys();
  return oldest;
}
