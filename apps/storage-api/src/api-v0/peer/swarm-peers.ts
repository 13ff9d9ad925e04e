import type { ConnectedPeer, PeerApi } from '@cairn/peer-api';
import { sendJson } from '../write.ts';
import { cleanText } from './clean-text.ts';
import { type DescribedNode, describedNode, undescribedNode } from './described-node.ts';
import { goDuration } from './go-duration.ts';
import { peerLimits } from './limits.ts';
import { withoutPeerId } from './peer-address.ts';
import { definePeerCommand, offlineAnswers, type PeerContext } from './peer-command.ts';

const flag = { kind: 'boolean', default: false } as const;
const options = {
  verbose: { ...flag, alias: 'v' },
  streams: flag,
  latency: flag,
  direction: flag,
  identify: flag,
} as const;

/** Numbers of go-libp2p (core/network/network.go). */
const directions = { inbound: 1, outbound: 2 } as const;
const nanosecondsPerMs = 1e6;

/** `swarm/peers`: lists the connections of the peer. */
export const swarmPeers = definePeerCommand({
  name: 'swarm/peers',
  scope: 'read',
  grant: 'node',
  options,
  args: { name: '', min: 0, max: 0 },
  offline: offlineAnswers.action,
  async run(context) {
    const { peer, options: chosen, response } = context;
    const peers = await context.within(() => peer.swarm.peers());
    const nodes = chosen.verbose || chosen.identify ? await describeAll(context, peers) : new Map();
    const listed = peers.map((connected) => connection(connected, chosen, nodes.get(connected.peer)));
    listed.sort((one, other) => compareText(one.Addr, other.Addr));
    sendJson(response, { Peers: listed.length === 0 ? null : listed });
  },
});

function connection(
  { peer, address, direction, latencyMs, streams }: ConnectedPeer,
  chosen: PeerContext<typeof options>['options'],
  identify: DescribedNode = undescribedNode,
) {
  const { verbose } = chosen;
  const protocols = streams.map((protocol) => ({ Protocol: cleanText(protocol) }));
  protocols.sort((one, other) => compareText(one.Protocol, other.Protocol));
  // Kubo omits empty fields.
  return {
    Addr: withoutPeerId(address),
    Peer: peer,
    ...((verbose || chosen.latency) && {
      Latency: latencyMs === undefined ? 'n/a' : goDuration(latencyMs * nanosecondsPerMs),
    }),
    ...((verbose || chosen.direction) && { Direction: directions[direction] }),
    ...((verbose || chosen.streams) && protocols.length > 0 && { Streams: protocols }),
    Identify: identify,
  };
}

/** Describes the connected peers, a few concurrently. A peer that has disconnected since is left out. */
async function describeAll(
  context: Pick<PeerContext, 'peer' | 'within' | 'visible'>,
  peers: readonly ConnectedPeer[],
): Promise<ReadonlyMap<string, DescribedNode>> {
  const { peer, within, visible } = context;
  const nodes = new Map<string, DescribedNode>();
  const left = [...new Set(peers.map((each) => each.peer))];
  const work = async () => {
    for (let id = left.pop(); id !== undefined; id = left.pop()) {
      const found = await within((signal) => describe(peer, id as string, signal));
      if (found !== undefined) nodes.set(id, describedNode(found, visible));
    }
  };
  await Promise.all(Array.from({ length: peerLimits.describedAtOnce }, work));
  return nodes;
}

async function describe(peer: PeerApi, id: string, signal: AbortSignal) {
  try {
    return await peer.describe(id, { signal });
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof Error && 'code' in error && error.code === 'PEER_UNAVAILABLE') throw error;
    return undefined;
  }
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : Number(one > other);
}
