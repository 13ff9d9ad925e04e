import { sendJson } from '../write.ts';
import { withoutPeerId } from './peer-address.ts';
import { definePeerCommand, offlineAnswers } from './peer-command.ts';

const none = { name: '', min: 0, max: 0 } as const;

/** `swarm/addrs`: lists the addresses of all known peers, with those of this one. */
export const swarmAddresses = definePeerCommand({
  name: 'swarm/addrs',
  scope: 'read',
  grant: 'node',
  options: {},
  args: none,
  offline: offlineAnswers.action,
  async run({ peer, response, within }) {
    const { id, addresses } = await within((signal) => peer.describe(undefined, { signal }));
    const known = new Map(await within(() => peer.swarm.addresses())).set(id, addresses);
    const printed = [...known].map(([each, list]) => [each, list.map(withoutPeerId).sort()] as const);
    sendJson(response, { Addrs: Object.fromEntries(printed.filter(([, list]) => list.length > 0)) });
  },
});

/** `swarm/addrs/local`: lists the addresses that this peer announces. */
export const swarmAddressesLocal = definePeerCommand({
  name: 'swarm/addrs/local',
  scope: 'read',
  grant: 'node',
  options: { id: { kind: 'boolean', default: false } },
  args: none,
  offline: offlineAnswers.action,
  async run({ peer, response, within, options: chosen }) {
    const { id, addresses } = await within((signal) => peer.describe(undefined, { signal }));
    const plain = addresses.map(withoutPeerId);
    sendStrings(response, chosen.id ? plain.map((address) => `${address}/p2p/${id}`) : plain);
  },
});

/** `swarm/addrs/listen`: lists the addresses on which this peer listens. */
export const swarmAddressesListen = definePeerCommand({
  name: 'swarm/addrs/listen',
  scope: 'read',
  grant: 'node',
  options: {},
  args: none,
  offline: offlineAnswers.action,
  async run({ peer, response, within }) {
    sendStrings(response, (await within(() => peer.swarm.listenAddresses())).map(withoutPeerId));
  },
});

/** `swarm/addrs/autonat`: reports the reachability as unknown, since this peer does not ask others to dial it. */
export const swarmAddressesAutonat = definePeerCommand({
  name: 'swarm/addrs/autonat',
  scope: 'read',
  grant: 'node',
  options: {},
  args: none,
  offline: offlineAnswers.command,
  async run({ response }) {
    sendJson(response, { reachability: 'Unknown' });
  },
});

/** `swarm/resources`: Kubo's answer without a resource manager of go-libp2p. */
export const swarmResources = definePeerCommand({
  name: 'swarm/resources',
  scope: 'read',
  grant: 'node',
  options: {},
  args: none,
  offline: offlineAnswers.resources,
  async run() {
    throw offlineAnswers.resources;
  },
});

function sendStrings(response: Parameters<typeof sendJson>[0], strings: readonly string[]): void {
  // Go prints an empty list without elements as null.
  sendJson(response, { Strings: strings.length === 0 ? null : [...strings].sort() });
}
