import { bitswapCommands } from './bitswap.ts';
import { bootstrapCommands } from './bootstrap.ts';
import { PeerCommand, type PeerCommandDefinition, type PeerServices } from './peer-command.ts';
import { ping } from './ping.ts';
import { provideStatCommands } from './provide-stat.ts';
import { dhtQuery, routingFindPeer, routingFindProviders } from './routing-find.ts';
import { provideOnce, reprovideCommands, routingProvide } from './routing-provide.ts';
import { statsDht } from './stats-dht.ts';
import {
  swarmAddresses,
  swarmAddressesAutonat,
  swarmAddressesListen,
  swarmAddressesLocal,
  swarmResources,
} from './swarm-addresses.ts';
import { swarmConnect, swarmDisconnect } from './swarm-connect.ts';
import { swarmFilterCommands } from './swarm-filters.ts';
import { swarmPeeringAdd, swarmPeeringLs, swarmPeeringRm } from './swarm-peering.ts';
import { swarmPeers } from './swarm-peers.ts';
import { versionCheck } from './version-check.ts';

/** Every command that the peer answers. */
export const peerCommandDefinitions: readonly PeerCommandDefinition[] = [
  ...bitswapCommands,
  ...bootstrapCommands,
  dhtQuery,
  ping,
  ...provideStatCommands,
  provideOnce,
  ...reprovideCommands,
  routingFindPeer,
  routingFindProviders,
  routingProvide,
  statsDht,
  swarmAddresses,
  swarmAddressesAutonat,
  swarmAddressesListen,
  swarmAddressesLocal,
  swarmConnect,
  swarmDisconnect,
  ...swarmFilterCommands,
  swarmPeeringAdd,
  swarmPeeringLs,
  swarmPeeringRm,
  swarmPeers,
  swarmResources,
  versionCheck,
];

/** @param services absent where only the descriptions are read */
export function peerCommands(services?: PeerServices): readonly PeerCommand[] {
  return peerCommandDefinitions.map((definition) => new PeerCommand(definition, services));
}
