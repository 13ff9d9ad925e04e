import type { AnnounceRecord } from '../content-router.ts';
import { compareDistance } from '../keyspace.ts';
import { limits } from '../limits.ts';
import { withDeadline } from '../with-deadline.ts';
import type { DhtPeer } from './explore-region.ts';

/** Sends provider records of this node to a node. Rejects if the node did not take them. */
export type SendProviders = (peer: DhtPeer, multihashes: readonly Uint8Array[], signal: AbortSignal) => Promise<void>;

export interface AnnounceToPeersOptions {
  readonly send: SendProviders;
  readonly replication: number;
  readonly signal: AbortSignal;
}

/** Records between two turns of the event loop. */
const sliceRecords = 128;

/**
 * Sends each record to the nodes that are closest to it, and each node all of its records on one stream. A record counts as
 * announced if at least a quarter of its nodes took it: nodes leave at any time, and one node suffices to find it.
 */
export async function announceToPeers(
  records: readonly AnnounceRecord[],
  peers: readonly DhtPeer[],
  { send, replication, signal }: AnnounceToPeersOptions,
): Promise<readonly boolean[]> {
  const byPeer = new Map<DhtPeer, number[]>();
  for (const [at, { key }] of records.entries()) {
    const closest = peers.length <= replication ? peers : closestTo(key, peers, replication);
    for (const peer of closest) {
      const list = byPeer.get(peer);
      if (list) list.push(at);
      else byPeer.set(peer, [at]);
    }
    if (at % sliceRecords === sliceRecords - 1) await new Promise((resolve) => setImmediate(resolve));
  }
  const taken = new Uint16Array(records.length);
  const queue = [...byPeer];
  const worker = async () => {
    for (let next = queue.pop(); next !== undefined && !signal.aborted; next = queue.pop()) {
      const [peer, own] = next;
      const multihashes = own.flatMap((at) => records[at]?.multihash ?? []);
      const isTaken = await withDeadline(limits.sendMs, signal, (deadline) => send(peer, multihashes, deadline)).then(
        () => true,
        () => false,
      );
      if (isTaken) for (const at of own) taken[at] = (taken[at] ?? 0) + 1;
    }
  };
  await Promise.all(Array.from({ length: limits.sendsMax }, worker));
  const neededMin = Math.max(1, Math.ceil(Math.min(replication, peers.length) / 4));
  return records.map((_, at) => (taken[at] ?? 0) >= neededMin);
}

function closestTo(key: Uint8Array, peers: readonly DhtPeer[], count: number): readonly DhtPeer[] {
  return [...peers].sort((a, b) => compareDistance(key, a.key, b.key)).slice(0, count);
}
