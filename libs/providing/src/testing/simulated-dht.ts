import { createHash } from 'node:crypto';
import type { AnnounceRecord, AnnounceRegion, Announcer } from '../content-router.ts';
import { announceToPeers } from '../dht/announce-to-peers.ts';
import { type DhtPeer, exploreRegion } from '../dht/explore-region.ts';
import { routingUnavailable } from '../errors.ts';
import { compareDistance, keyOf } from '../keyspace.ts';

const replication = 20;

/** DHT of many nodes in memory. Counts lookups and messages, and keeps the records of each node. */
export class SimulatedDht implements Announcer {
  readonly #peers: readonly DhtPeer[];
  /** Announced multihashes, in hexadecimal, by node. */
  readonly stored = new Map<string, Set<string>>();
  lookups = 0;
  streams = 0;
  messages = 0;
  isOnline = true;

  constructor(nodes: number) {
    this.#peers = Array.from({ length: nodes }, (_, at) => ({
      id: `${at}`,
      key: createHash('sha256').update(`node ${at}`).digest(),
    })).sort((a, b) => Buffer.compare(a.key, b.key));
  }

  /** Returns the closest nodes to a key, exactly. */
  closestTo(key: Uint8Array): readonly DhtPeer[] {
    return near(this.#peers, key, replication);
  }

  async openRegion(
    record: AnnounceRecord,
    { signal }: { readonly signal?: AbortSignal } = {},
  ): Promise<AnnounceRegion> {
    const ended = signal ?? new AbortController().signal;
    const closestPeers = async (target: Uint8Array) => {
      this.lookups++;
      if (!this.isOnline) throw routingUnavailable('the simulation is offline');
      return this.closestTo(keyOf(target));
    };
    const { region, peers } = await exploreRegion(record, { closestPeers, replication, signal: ended });
    const announce = (records: readonly AnnounceRecord[]) =>
      announceToPeers(records, peers, {
        send: (peer, multihashes) => this.#send(peer, multihashes),
        replication,
        signal: ended,
      });
    return { region, announce };
  }

  async #send(peer: DhtPeer, multihashes: readonly Uint8Array[]): Promise<void> {
    if (!this.isOnline) throw routingUnavailable('the simulation is offline');
    this.streams++;
    this.messages += multihashes.length;
    this.keep(peer, multihashes);
  }

  /** Stores what a node was sent. */
  protected keep(peer: DhtPeer, multihashes: readonly Uint8Array[]): void {
    const own = this.stored.get(peer.id) ?? new Set();
    for (const multihash of multihashes) own.add(Buffer.from(multihash).toString('hex'));
    this.stored.set(peer.id, own);
  }
}

/** Selects by halving sorted nodes bit by bit, so that a lookup does not sort all nodes. */
function near(sorted: readonly DhtPeer[], key: Uint8Array, count: number): readonly DhtPeer[] {
  let [from, to] = [0, sorted.length];
  for (let bit = 0; bit < 256; bit++) {
    const isOne = (peer: DhtPeer | undefined) => (((peer?.key[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1;
    let middle = from;
    let high = to;
    while (middle < high) {
      const probe = (middle + high) >> 1;
      if (isOne(sorted[probe])) high = probe;
      else middle = probe + 1;
    }
    const wantsOne = (((key[bit >> 3] ?? 0) >> (7 - (bit & 7))) & 1) === 1;
    const [nextFrom, nextTo] = wantsOne ? [middle, to] : [from, middle];
    if (nextTo - nextFrom < count) break;
    [from, to] = [nextFrom, nextTo];
  }
  return sorted
    .slice(from, to)
    .sort((a, b) => compareDistance(key, a.key, b.key))
    .slice(0, count);
}
