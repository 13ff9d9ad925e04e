import type { Provider } from '@cairn/block-exchange';
import type { CID } from '@cairn/cid';
import type { Libp2p, PeerInfo, Stream } from '@libp2p/interface';
import type { KadDHT } from '@libp2p/kad-dht';
import { peerIdFromString } from '@libp2p/peer-id';
import type { AnnounceRecord, AnnounceRegion, Announcer, ContentRouter, RouterOptions } from '../content-router.ts';
import { routingUnavailable } from '../errors.ts';
import { keyOf } from '../keyspace.ts';
import { limits } from '../limits.ts';
import { encodeAddProvider } from './add-provider.ts';
import { announceToPeers } from './announce-to-peers.ts';
import { type DhtPeer, exploreRegion } from './explore-region.ts';

export interface DhtRouterOptions {
  readonly node: Pick<Libp2p, 'peerId' | 'getMultiaddrs' | 'dialProtocol'>;
  readonly dht: Pick<KadDHT, 'getClosestPeers' | 'findProviders' | 'findPeer'>;
  /** Protocol of the DHT. Default: `/ipfs/kad/1.0.0`. A private network uses `/ipfs/lan/kad/1.0.0`. */
  readonly protocol?: string;
  /** Nodes that store one record. Default: 20. */
  readonly replication?: number;
}

/** First bytes of a SHA-256 multihash. */
const sha256Code = 0x12;

/** Routing by a DHT of js-libp2p. Announces many records per lookup, unlike the `provide` of the DHT itself. */
export function createDhtRouter(options: DhtRouterOptions): ContentRouter & Announcer {
  const { node, dht, protocol = '/ipfs/kad/1.0.0', replication = 20 } = options;

  const closestPeers = async (target: Uint8Array, signal: AbortSignal): Promise<readonly DhtPeer[]> => {
    const peers: DhtPeer[] = [];
    for await (const event of dht.getClosestPeers(target, { signal })) {
      if (event.name !== 'FINAL_PEER' || event.peer.id.equals(node.peerId)) continue;
      peers.push({ id: event.peer.id.toString(), key: keyOf(event.peer.id.toMultihash().bytes) });
    }
    return peers;
  };

  const send = async (peer: DhtPeer, multihashes: readonly Uint8Array[], signal: AbortSignal): Promise<void> => {
    const stream = await node.dialProtocol(peerIdFromString(peer.id), protocol, { signal });
    try {
      await sendRecords(stream, multihashes, signal);
    } catch (error) {
      stream.abort(error instanceof Error ? error : new Error(String(error)));
      throw error;
    }
  };

  const sendRecords = async (stream: Stream, multihashes: readonly Uint8Array[], signal: AbortSignal) => {
    const identity = { id: node.peerId.toMultihash().bytes, addresses: ownAddresses() };
    // js-libp2p ends the stream at a multihash of another function.
    const sorted = [...multihashes].sort((a, b) => Number(a[0] !== sha256Code) - Number(b[0] !== sha256Code));
    for (const multihash of sorted) {
      signal.throwIfAborted();
      if (!stream.send(encodeAddProvider(multihash, identity))) await stream.onDrain({ signal });
    }
    await stream.close({ signal });
  };

  const ownAddresses = () => node.getMultiaddrs().map((address) => address.decapsulateCode(p2pCode).bytes);

  return {
    async openRegion(record: AnnounceRecord, { signal = never } = {}): Promise<AnnounceRegion> {
      if (node.getMultiaddrs().length === 0) throw routingUnavailable('this node has no address');
      const { region, peers } = await exploreRegion(record, { closestPeers, replication, signal });
      return {
        region,
        announce: (records, { signal: ended = never } = {}) =>
          announceToPeers(records, peers, { send, replication, signal: ended }),
      };
    },
    async *findProviders(cid: CID, { signal = never }: RouterOptions = {}) {
      const known = new Set<string>();
      for await (const event of dht.findProviders(cid, { signal })) {
        if (event.name !== 'PROVIDER') continue;
        for (const found of event.providers) {
          const provider = providerFrom(found);
          if (known.has(provider.peer) || known.size >= limits.answerRecordsMax) continue;
          known.add(provider.peer);
          yield provider;
        }
      }
    },
    async findPeer(peer: string, { signal = never }: RouterOptions = {}) {
      for await (const event of dht.findPeer(peerIdFromString(peer), { signal }))
        if (event.name === 'FINAL_PEER') return providerFrom(event.peer);
      return undefined;
    },
  };
}

/** Code of the part /p2p of a multiaddress. */
const p2pCode = 421;
const never = new AbortController().signal;

function providerFrom({ id, multiaddrs }: PeerInfo): Provider & { readonly peer: string } {
  return { peer: id.toString(), addresses: multiaddrs.slice(0, limits.addressesMax).map(String) };
}
