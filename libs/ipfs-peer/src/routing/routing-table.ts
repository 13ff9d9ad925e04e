import type { DhtStatus } from '@cairn/peer-api';
import type { KadDHT } from '@libp2p/kad-dht';

/** Parts of the routing table that js-libp2p does not describe as its interface. */
interface Bucket {
  readonly prefix?: string;
  readonly peers?: readonly { readonly peerId: { toString(): string } }[];
  readonly left?: Bucket;
  readonly right?: Bucket;
}

/** Returns the number of nodes in the routing table. */
export function sizeOf(dht: KadDHT): number {
  return 'routingTable' in dht ? (dht.routingTable as { readonly size: number }).size : 0;
}

/** Returns the nodes of the routing table by the bits that their keys share with the own one. */
export function bucketsOf(dht: KadDHT): DhtStatus['buckets'] {
  if (!('routingTable' in dht)) return [];
  const { kb } = dht.routingTable as { readonly kb?: { readonly root: Bucket } };
  const buckets: { prefixBits: number; peers: string[] }[] = [];
  const walk = (bucket: Bucket, prefixBits: number): void => {
    if (bucket.peers !== undefined && bucket.peers.length > 0)
      buckets.push({ prefixBits, peers: bucket.peers.map(({ peerId }) => peerId.toString()) });
    if (bucket.left !== undefined) walk(bucket.left, prefixBits + 1);
    if (bucket.right !== undefined) walk(bucket.right, prefixBits + 1);
  };
  if (kb !== undefined) walk(kb.root, 0);
  return buckets;
}
