import { join } from 'node:path';
import { storingExchange } from '@cairn/block-exchange';
import { createHttpExchange } from '@cairn/block-exchange/http';
import type { CollectableBlockstore } from '@cairn/blockstore';
import { errorChain } from '@cairn/errors';
import { createPeerDatastore, type IpfsPeer, openPeer, type PeerOptions, readSwarmKey } from '@cairn/ipfs-peer';
import { ipnsSelector, ipnsValidator } from '@cairn/ipns';
import { openPeerIdentity } from '@cairn/peer-api/identity';
import { DhtDatastore } from '@cairn/providing/dht';
import type { Logger } from '@cairn/service-kit';
import manifest from '../package.json' with { type: 'json' };
import { checkAddresses } from './check-addresses.ts';
import type { Serving } from './serving.ts';
import { addressList, bootstrapList, type IpfsPeerSettings } from './settings.ts';

/** Parts of the peer that other packages provide: providing. */
export type PeerParts = Pick<PeerOptions, 'openProviding'>;

/** Running peer with the stores of its own. */
export interface PeerProcess extends IpfsPeer {
  /** Ends the node first, then its stores. */
  close(): Promise<void>;
}

/** Starts the peer that the settings describe. */
export async function startPeer(
  settings: IpfsPeerSettings,
  store: CollectableBlockstore,
  serving: Serving,
  logger: Logger,
  parts: PeerParts = {},
): Promise<PeerProcess> {
  checkAddresses(settings);
  const datastore = await DhtDatastore.open({
    directory: join(settings.CAIRN_HOME, 'dht'),
    base: createPeerDatastore(),
  });
  const gateways = settings.IPFS_PEER_HTTP_GATEWAYS?.split(',') ?? [];
  const allowsPrivate = settings.IPFS_PEER_ALLOW_PRIVATE === 'yes';
  const swarmKeyFile = settings.IPFS_PEER_SWARM_KEY_FILE;
  const peer = await openPeer({
    identity: await openPeerIdentity({ home: settings.CAIRN_HOME }),
    store,
    quarantine: store,
    datastore,
    records: { validators: { ipns: ipnsValidator }, selectors: { ipns: ipnsSelector } },
    listen: addressList(settings.IPFS_PEER_LISTEN),
    announce: addressList(settings.IPFS_PEER_ANNOUNCE),
    bootstrap: bootstrapList(settings),
    peering: addressList(settings.IPFS_PEER_PEERING),
    routing: settings.IPFS_PEER_ROUTING,
    allowsPrivate,
    connectionsMax: settings.IPFS_PEER_CONNECTIONS_MAX,
    agentVersion: `cairn/${manifest.version}`,
    onError: (error) => logger.debug({ causes: errorChain(error) }, 'background work of the peer failed'),
    ...(swarmKeyFile !== undefined && { swarmKey: await readSwarmKey(swarmKeyFile) }),
    policy: serving.policy,
    exchanges: [storingExchange(createHttpExchange({ gateways, found: { allowsPrivate } }), store)],
    ...parts,
  });
  serving.onServed((cids) => peer.bitswap.announce(cids));
  const { id, addresses } = await peer.api.describe();
  logger.info({ id, addresses }, 'the node of the IPFS network runs');
  return {
    ...peer,
    async close() {
      await peer.api.close();
      await datastore.close();
    },
  };
}
