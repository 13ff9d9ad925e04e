import { sign } from 'node:crypto';
import { join } from 'node:path';
import { createHttpExchange } from '@cairn/block-exchange/http';
import type { CollectableBlockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { errorChain } from '@cairn/errors';
import { createPeerDatastore, type IpfsPeer, openPeer, type Providing, readSwarmKey } from '@cairn/ipfs-peer';
import { ipnsSelector, ipnsValidator } from '@cairn/ipns';
import type { PeerIdentity } from '@cairn/peer-api/identity';
import type { PinStore } from '@cairn/pinning';
import type { ProvideStore } from '@cairn/providing';
import { createDelegatedRouter } from '@cairn/providing/delegated';
import { DhtDatastore } from '@cairn/providing/dht';
import type { Logger } from '@cairn/service-kit';
import manifest from '../package.json' with { type: 'json' };
import type { ContentPolicy } from './content-policy.ts';
import { openFilterFile } from './filter-file.ts';
import { openAnnounceNow, openProviding, type ProvidingProcess } from './providing.ts';
import type { Serving } from './serving.ts';
import { ServingRests } from './serving-rests.ts';
import { addressList, bootstrapList, type IpfsPeerSettings } from './settings.ts';

/** Identity, stores and policy of the peer. */
export interface PeerParts {
  readonly identity: PeerIdentity;
  readonly blocks: CollectableBlockstore;
  readonly pins: () => Promise<PinStore>;
  readonly providing: () => Promise<ProvideStore>;
  readonly serving: Serving;
  readonly content: ContentPolicy;
}

/** Running peer with the schedule of its announcements. */
export interface PeerProcess extends IpfsPeer {
  /** Undefined if nothing is announced. */
  readonly announcements: ProvidingProcess | undefined;
  /** Ends the node first, then its stores. */
  close(): Promise<void>;
}

/** Starts the peer that the settings describe. */
export async function startPeer(
  settings: IpfsPeerSettings,
  { identity, blocks, pins, providing, serving, content }: PeerParts,
  logger: Logger,
): Promise<PeerProcess> {
  const datastore = await DhtDatastore.open({
    directory: join(settings.CAIRN_HOME, 'dht'),
    base: createPeerDatastore(),
  });
  const gateways = settings.IPFS_PEER_HTTP_GATEWAYS?.split(',') ?? [];
  const allowsPrivate = settings.IPFS_PEER_ALLOW_PRIVATE === 'yes';
  const swarmKeyFile = settings.IPFS_PEER_SWARM_KEY_FILE;
  const sendMax = settings.IPFS_PEER_SEND_BYTES_PER_SECOND;
  const receiveMax = settings.IPFS_PEER_RECEIVE_BYTES_PER_SECOND;
  const streamsMax = settings.IPFS_PEER_STREAMS_PER_PEER_MAX;
  const connectionsMin = settings.IPFS_PEER_CONNECTIONS_MIN;
  const signed = (bytes: Uint8Array) => sign(null, bytes, identity.privateKey);
  const onError = (error: unknown) => logger.error({ causes: errorChain(error) }, 'served content was not announced');
  let announcements: ProvidingProcess | undefined;
  const rests = new ServingRests();
  const peer = await openPeer({
    identity,
    store: blocks,
    quarantine: blocks,
    datastore,
    records: { validators: { ipns: ipnsValidator }, selectors: { ipns: ipnsSelector } },
    listen: addressList(settings.IPFS_PEER_LISTEN),
    announce: addressList(settings.IPFS_PEER_ANNOUNCE),
    bootstrap: bootstrapList(settings),
    peering: addressList(settings.IPFS_PEER_PEERING),
    routing: settings.IPFS_PEER_ROUTING,
    routers: addressList(settings.IPFS_PEER_DELEGATED_ROUTERS).map((url) => createDelegatedRouter({ url })),
    allowsPrivate,
    filters: openFilterFile(join(settings.CAIRN_HOME, 'ipfs-peer-filters.json')),
    connectionsMax: settings.IPFS_PEER_CONNECTIONS_MAX,
    ...(connectionsMin !== undefined && { connectionsMin }),
    agentVersion: `cairn/${manifest.version}`,
    policy: serving.policy,
    restMs: rests.next,
    onError: (error) => logger.debug({ causes: errorChain(error) }, 'background work of the peer failed'),
    ...(swarmKeyFile !== undefined && { swarmKey: await readSwarmKey(swarmKeyFile) }),
    limits: {
      ...(streamsMax !== undefined && { streamsPerPeerMax: streamsMax }),
      ...(sendMax !== undefined && { sendBytesPerSecondMax: sendMax }),
      ...(receiveMax !== undefined && { receiveBytesPerSecondMax: receiveMax }),
    },
    exchanges: [createHttpExchange({ gateways, found: { allowsPrivate } })],
    openAnnounceNow: (node) => openAnnounceNow(settings, { node, sign: signed }),
    async openProviding(node) {
      announcements = await openProviding(settings, {
        node,
        logger,
        blocks,
        openStore: providing,
        openPins: pins,
        isServed: async (cid) => (await serving.policy.mayServe([cid], ''))[0] === true,
        refreshServed: () => serving.refresh(),
        sign: signed,
      });
      return reporting(announcements ?? nothingAnnounced, { serving, rests, onError });
    },
  });
  serving.onServed((cids) => {
    peer.bitswap.announce(cids);
    announcements?.served(cids).catch(onError);
  });
  content.onChange(() => announcements?.policyChanged());
  const { id, addresses } = await peer.api.describe();
  logger.info({ id, addresses }, 'the node of the IPFS network runs');
  return {
    ...peer,
    api: content.guard(peer.api),
    announcements,
    async close() {
      await peer.api.close();
      await datastore.close();
    },
  };
}

/** Serves reported roots without a wait for the next comparison with the pins. */
function reporting(
  providing: Providing,
  {
    serving,
    rests,
    onError,
  }: { readonly serving: Serving; readonly rests: ServingRests; readonly onError: (error: unknown) => void },
): Providing {
  const changed = (roots: readonly CID[]) => void serving.changed(roots).catch(onError);
  return {
    ...providing,
    async added(roots) {
      rests.reported();
      // First the schedule: it names a root that becomes served as it was reported.
      const announced = providing.added(roots);
      changed(roots);
      await announced;
    },
    async removed(roots) {
      changed(roots);
      await providing.removed(roots);
    },
  };
}

const nothingAnnounced: Providing = {
  status: async () => ({ records: 0, waiting: 0, announced: 0, failed: 0 }),
  added: async () => {},
  removed: async () => {},
  close: async () => {},
};
