import type { CollectableBlockstore } from '@cairn/blockstore';
import { errorChain } from '@cairn/errors';
import { type IpfsPeer, openPeer, type PeerOptions, readSwarmKey } from '@cairn/ipfs-peer';
import { openPeerIdentity } from '@cairn/peer-api/identity';
import type { Logger } from '@cairn/service-kit';
import manifest from '../package.json' with { type: 'json' };
import { addressList, bootstrapList, type IpfsPeerSettings } from './settings.ts';

/** Parts of the peer that other packages provide: the serving policy, record types and providing. */
export type PeerParts = Pick<PeerOptions, 'policy' | 'records' | 'openProviding'>;

/** Starts the peer that the settings describe. */
export async function startPeer(
  settings: IpfsPeerSettings,
  store: CollectableBlockstore,
  logger: Logger,
  parts: PeerParts = {},
): Promise<IpfsPeer> {
  const swarmKeyFile = settings.IPFS_PEER_SWARM_KEY_FILE;
  const peer = await openPeer({
    identity: await openPeerIdentity({ home: settings.CAIRN_HOME }),
    store,
    quarantine: store,
    listen: addressList(settings.IPFS_PEER_LISTEN),
    announce: addressList(settings.IPFS_PEER_ANNOUNCE),
    bootstrap: bootstrapList(settings),
    peering: addressList(settings.IPFS_PEER_PEERING),
    routing: settings.IPFS_PEER_ROUTING,
    allowsPrivate: settings.IPFS_PEER_ALLOW_PRIVATE === 'yes',
    connectionsMax: settings.IPFS_PEER_CONNECTIONS_MAX,
    agentVersion: `cairn/${manifest.version}`,
    onError: (error) => logger.debug({ causes: errorChain(error) }, 'background work of the peer failed'),
    ...(swarmKeyFile !== undefined && { swarmKey: await readSwarmKey(swarmKeyFile) }),
    ...(settings.IPFS_PEER_SERVE === 'nothing' && { policy: servesNothing }),
    ...parts,
  });
  const { id, addresses } = await peer.api.describe();
  logger.info({ id, addresses }, 'the node of the IPFS network runs');
  return peer;
}

const servesNothing: NonNullable<PeerOptions['policy']> = { mayServe: (cids) => cids.map(() => false) };
