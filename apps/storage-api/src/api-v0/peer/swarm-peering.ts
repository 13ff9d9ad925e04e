import { endLines, sendJson, writeLine } from '../write.ts';
import { parsePeerAddress, withoutPeerId } from './peer-address.ts';
import { definePeerCommand, offlineAnswers } from './peer-command.ts';
import { parsePeerId } from './peer-id.ts';

/** Words of go-libp2p for an address without a peer ID. */
const withoutPeer = 'invalid p2p multiaddr';

/** `swarm/peering/ls`: lists the peers to which the connection is permanent. */
export const swarmPeeringLs = definePeerCommand({
  name: 'swarm/peering/ls',
  scope: 'read',
  grant: 'node',
  options: {},
  args: { name: '', min: 0, max: 0 },
  offline: offlineAnswers.command,
  async run({ peer, response, within }) {
    const peers = await within(() => peer.swarm.peering());
    const print = ({ peer: id = '', addresses = [] }: (typeof peers)[number]) => ({
      ID: id,
      Addrs: addresses.map(withoutPeerId),
    });
    sendJson(response, { Peers: peers.map(print) });
  },
});

/** `swarm/peering/add`: makes connections permanent. */
export const swarmPeeringAdd = definePeerCommand({
  name: 'swarm/peering/add',
  scope: 'read',
  grant: 'node',
  options: {},
  args: { name: 'address', min: 1, max: 100 },
  offline: offlineAnswers.command,
  check: ({ args }) => void args.map((address) => parsePeerAddress(address, withoutPeer)),
  async run({ peer, args, response, signal, within }) {
    // One line for each peer.
    const lines = new Map<string, object>();
    for (const { text } of args.map((address) => parsePeerAddress(address, withoutPeer))) {
      const added = await within(() => peer.swarm.addPeering(text));
      lines.set(added.peer, { ID: added.peer, Status: 'success' });
    }
    for (const line of lines.values()) await writeLine(response, line, signal);
    endLines(response);
  },
});

/** `swarm/peering/rm`: ends permanent connections. */
export const swarmPeeringRm = definePeerCommand({
  name: 'swarm/peering/rm',
  scope: 'read',
  grant: 'node',
  options: {},
  args: { name: 'ID', min: 1, max: 100 },
  offline: offlineAnswers.command,
  check: ({ args }) => void args.map(parsePeerId),
  async run({ peer, args, response, signal, within }) {
    for (const { text } of args.map(parsePeerId)) {
      await within(() => peer.swarm.removePeering(text));
      await writeLine(response, { ID: text, Status: 'success' }, signal);
    }
    endLines(response);
  },
});
