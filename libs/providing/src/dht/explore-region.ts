import type { AnnounceRecord } from '../content-router.ts';
import { routingUnavailable } from '../errors.ts';
import { commonPrefixBits, isInRegion, keyOf, type Region, regionOf, siblingOf } from '../keyspace.ts';
import { limits } from '../limits.ts';

/** Node of the DHT. */
export interface DhtPeer {
  /** Peer ID in text form. */
  readonly id: string;
  /** Position in the keyspace: SHA-256 of the binary peer ID. */
  readonly key: Uint8Array;
}

/** Returns the nodes that are closest to SHA-256 of `target`: at most as many as the replication of the DHT. */
export type ClosestPeers = (target: Uint8Array, signal: AbortSignal) => Promise<readonly DhtPeer[]>;

/** Region with all its nodes. For each key in it the closest nodes are among them. */
export interface ExploredRegion {
  readonly region: Region;
  readonly peers: readonly DhtPeer[];
}

export interface ExploreOptions {
  readonly closestPeers: ClosestPeers;
  /** Nodes that store one record. */
  readonly replication: number;
  readonly signal: AbortSignal;
}

/** Prefix for which a preimage is still found within a second. */
const preimageBitsMax = 18;

/**
 * Finds the smallest region around a record that has enough nodes for each of its keys, and all of these nodes.
 *
 * A lookup returns the closest nodes, so each region that excludes the furthest of them is known completely. The siblings of
 * that region are looked up until the region has as many nodes as one record needs. That takes two to four lookups, for any
 * number of records in the region.
 * @throws ROUTING_UNAVAILABLE without nodes
 */
export async function exploreRegion(record: AnnounceRecord, options: ExploreOptions): Promise<ExploredRegion> {
  const { closestPeers, replication, signal } = options;
  const closest = await closestPeers(record.multihash, signal);
  const found = new Map(closest.map((peer) => [peer.id, peer]));
  if (found.size === 0) throw routingUnavailable('no node of the DHT answers');
  const bits = found.size < replication ? 0 : furthestBits(record.key, closest);
  const region = regionOf(record.key, bits);
  if (found.size < replication) return { region, peers: [...found.values()] };
  const open: Region[] = [siblingOf(record.key, bits + 1)];
  for (let lookups = 1; open.length > 0 && lookups < limits.regionLookupsMax; lookups++) {
    const next = open.pop();
    if (next === undefined || next.bits > preimageBitsMax) continue;
    const target = await preimageIn(next, signal);
    const nodes = await closestPeers(target, signal);
    for (const peer of nodes.slice(0, limits.regionPeersMax - found.size)) found.set(peer.id, peer);
    // Nodes outside of the region are further than all nodes inside it.
    if (nodes.length < replication || nodes.some(({ key }) => !isInRegion(key, next))) continue;
    const key = keyOf(target);
    for (let depth = next.bits + 1; depth <= furthestBits(key, nodes) + 1; depth++) open.push(siblingOf(key, depth));
  }
  return { region, peers: [...found.values()] };
}

function furthestBits(key: Uint8Array, peers: readonly DhtPeer[]): number {
  return Math.min(...peers.map((peer) => commonPrefixBits(key, peer.key)));
}

/** Returns bytes whose SHA-256 is in a region, since nodes hash the target of a lookup. */
async function preimageIn(region: Region, signal: AbortSignal): Promise<Uint8Array> {
  // Form of a peer ID: a SHA-256 multihash.
  const target = Buffer.alloc(34);
  target.set([0x12, 0x20]);
  for (let attempt = 0; ; attempt++) {
    target.writeUInt32BE(attempt, 2);
    if (isInRegion(keyOf(target), region)) return target;
    if (attempt % 1024 === 1023) {
      await new Promise((resolve) => setImmediate(resolve));
      signal.throwIfAborted();
    }
  }
}
