import type { ConnectedPeer, DhtStatus } from '@cairn/peer-api';
import { ApiError } from '../api-error.ts';
import { endLines, writeLine } from '../write.ts';
import { cleanText } from './clean-text.ts';
import { definePeerCommand, offlineAnswers } from './peer-command.ts';

/** Names of Kubo's tables. This peer has one table, listed as `wan`. */
const tables: readonly string[] = ['wan', 'lan', 'wanserver', 'lanserver'];

/** `stats/dht`: lists the routing table of the peer. */
export const statsDht = definePeerCommand({
  name: 'stats/dht',
  scope: 'read',
  grant: 'node',
  options: {},
  args: { name: 'dht', min: 0, max: 4 },
  offline: offlineAnswers.command,
  check({ args }) {
    const unknown = args.find((name) => !tables.includes(name));
    if (unknown !== undefined) throw new ApiError(400, `unknown dht type: ${unknown.slice(0, 64)}`);
  },
  async run({ peer, args, response, signal, within }) {
    const status = await within(() => peer.routing.status());
    if (status.mode === 'none') throw offlineAnswers.noDht;
    const connected = await within(() => peer.swarm.peers());
    for (const Name of args.length === 0 ? ['wan', 'lan'] : args) {
      const Buckets = Name.startsWith('wan') ? bucketsOf(status, connected) : [];
      await writeLine(response, { Name, Buckets }, signal);
    }
    endLines(response);
  },
});

function bucketsOf({ buckets }: DhtStatus, connected: readonly ConnectedPeer[]) {
  const agents = new Map(connected.map(({ peer, agentVersion = '' }) => [peer, cleanText(agentVersion)]));
  return buckets.map(({ peers }) => ({
    LastRefresh: '',
    Peers:
      peers.length === 0
        ? null
        : peers.map((ID) => ({
            ID,
            Connected: agents.has(ID),
            AgentVersion: agents.get(ID) ?? '',
            LastUsefulAt: '',
            LastQueriedAt: '',
          })),
  }));
}
