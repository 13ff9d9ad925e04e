import type { StorageScope } from '@cairn/auth';

/** Credits of a command by the scope that it needs, beside those of the transferred bytes. */
const pricesByScope: Readonly<Record<StorageScope, number>> = { read: 1, add: 5, pin: 2 };

/** Commands that cause much more work than they name. */
const pricesByName: Readonly<Record<string, number>> = {
  'pin/verify': 20,
  'repo/gc': 20,
  'repo/verify': 50,
  'refs/local': 20,
  'repo/ls': 20,
  // Searches, dials and publications in the network.
  'routing/findprovs': 20,
  'routing/findpeer': 20,
  'name/get': 20,
  'name/resolve': 5,
  'routing/get': 20,
  // Also stored, and repeated while the key exists.
  'name/publish': 20,
  'name/put': 20,
  'routing/put': 20,
  'routing/provide': 20,
  'provide/once': 20,
  ping: 20,
  'swarm/connect': 20,
  // Read all connections or addresses of the peer.
  'swarm/peers': 5,
  'swarm/addrs': 5,
  'stats/dht': 5,
  // RSA keys take seconds of a processor.
  'key/gen': 20,
  // Paid by the request that the attempt belongs to.
  'pins/attempt': 0,
};

/** Returns the credits of a command. */
export function priceOf({ name, scope }: { readonly name: string; readonly scope: StorageScope }): number {
  return pricesByName[name] ?? pricesByScope[scope];
}
