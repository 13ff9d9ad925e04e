import type { Blockstore } from '@cairn/blockstore';
import type { CID } from '@cairn/cid';
import { errorChain } from '@cairn/errors';
import type { AnnounceNow, Node, Providing } from '@cairn/ipfs-peer';
import type { PinStore } from '@cairn/pinning';
import {
  type Announcer,
  announceNow,
  combineAnnouncers,
  localAnnouncer,
  ProvideSchedule,
  type ProvideSource,
  type ProvideStore,
  pinnedRoots,
  type ScheduleCounts,
  storedBlocks,
} from '@cairn/providing';
import { createDelegatedAnnouncer, createKuboAnnouncer } from '@cairn/providing/delegated';
import { createDhtRouter } from '@cairn/providing/dht';
import type { Logger } from '@cairn/service-kit';
import { ReportedRoots } from './reported-roots.ts';
import type { IpfsPeerSettings } from './settings.ts';

/** Schedule of announcements of the process. */
export interface ProvidingProcess extends Providing {
  /** Counts of the last seconds, for metrics. */
  readonly latest: () => ScheduleCounts | undefined;
  /** Announces those of newly served blocks that the settings name. */
  served(cids: readonly CID[]): Promise<void>;
  /** Reports that other content is served now. The records follow soon. */
  policyChanged(): void;
}

export interface ProvidingOptions {
  readonly node: Node;
  readonly openStore: () => Promise<ProvideStore>;
  readonly openPins: () => Promise<PinStore>;
  readonly blocks: Pick<Blockstore, 'keys' | 'has'>;
  /** Reports whether other peers get a block. Nothing else is announced. */
  readonly isServed: (cid: CID) => boolean | Promise<boolean>;
  /** Resolves when `isServed` knows all pins that were stored before the call. */
  readonly refreshServed: () => Promise<void>;
  /** Signs with the key of the node. */
  readonly sign: (bytes: Uint8Array) => Uint8Array;
  readonly logger: Logger;
}

/** Milliseconds between two refreshes of the counts for metrics. */
const countsMs = 5000;
const kuboPath = /\/api\/v0\/?$/;

/** Starts the announcements that the settings describe; undefined if nothing is announced. */
export async function openProviding(
  settings: IpfsPeerSettings,
  options: ProvidingOptions,
): Promise<ProvidingProcess | undefined> {
  const { node, logger } = options;
  if (settings.IPFS_PEER_PROVIDE === 'none' || settings.IPFS_PEER_SERVE === 'nothing') return undefined;
  // Without a DHT, delegated routing of this home still lists what the node provides.
  const announcer = announcerOf(settings, options) ?? localAnnouncer;
  const reported = new ReportedRoots();
  const store = await options.openStore();
  const pins = await options.openPins();
  const schedule = new ProvideSchedule({
    store,
    announcer,
    source: sourceOf(settings, pins, options),
    intervalMs: settings.IPFS_PEER_PROVIDE_INTERVAL_SECONDS * 1000,
    onEvent: (event) => {
      if (event.type === 'failed') logger.warn({ causes: errorChain(event.error) }, 'content was not announced');
      else if (event.result.added + event.result.removed > 0)
        logger.info(event.result, 'the announced content was compared with the pins');
    },
  });
  const onConnect = () => schedule.networkChanged();
  node.addEventListener('peer:connect', onConnect);
  let latest: ScheduleCounts | undefined;
  const refresh = async () => {
    latest = await schedule.counts();
  };
  const timer = setInterval(() => void refresh().catch(() => {}), countsMs);
  await refresh();
  schedule.start();
  // Pins of the time before this start are served, and announced, once the index has them.
  options.refreshServed().then(
    () => schedule.requestReconciliation(),
    () => {},
  );
  return {
    latest: () => latest,
    served: (cids) => schedule.added(reported.take(cids)),
    policyChanged: () => schedule.requestReconciliation(),
    async status() {
      const { records, waiting, announced, failed, isOnline, oldestAt } = await schedule.counts();
      const oldestSeconds =
        oldestAt === undefined ? undefined : Math.max(0, Math.round((Date.now() - oldestAt) / 1000));
      return { records, waiting, announced, failed, isOnline, ...(oldestSeconds !== undefined && { oldestSeconds }) };
    },
    async added(roots) {
      // A reported root is often not in the index of served blocks yet; `served` announces it then.
      reported.add(roots);
      await schedule.added(roots);
    },
    removed: (roots) => schedule.removed(roots),
    async close() {
      clearInterval(timer);
      node.removeEventListener('peer:connect', onConnect);
      await schedule.stop();
      await store.close();
      await pins.close();
    },
  };
}

function sourceOf(settings: IpfsPeerSettings, pins: PinStore, { blocks, isServed }: ProvidingOptions): ProvideSource {
  return settings.IPFS_PEER_PROVIDE === 'all' ? storedBlocks(blocks, isServed) : pinnedRoots(pins, isServed);
}

/** Returns what announces blocks on request, also when no schedule runs. */
export function openAnnounceNow(
  settings: IpfsPeerSettings,
  options: Pick<ProvidingOptions, 'node' | 'sign'>,
): AnnounceNow | undefined {
  const announcer = announcerOf(settings, options);
  return announcer && ((cids, { signal }) => announceNow(announcer, cids, { ...(signal && { signal }) }));
}

function announcerOf(
  settings: IpfsPeerSettings,
  { node, sign }: Pick<ProvidingOptions, 'node' | 'sign'>,
): Announcer | undefined {
  const via = settings.IPFS_PEER_PROVIDE_VIA;
  if (via !== 'dht') {
    if (kuboPath.test(via)) return createKuboAnnouncer({ url: via.replace(kuboPath, '') });
    return createDelegatedAnnouncer({
      url: via,
      peer: node.peerId.toString(),
      addresses: () => node.getMultiaddrs().map((address) => address.toString().replace(/\/p2p\/[^/]+$/, '')),
      sign,
    });
  }
  const { wan, lan } = node.services;
  const announcers = [
    wan && createDhtRouter({ node, dht: wan, protocol: '/ipfs/kad/1.0.0' }),
    lan && createDhtRouter({ node, dht: lan, protocol: '/ipfs/lan/kad/1.0.0' }),
  ].filter((announcer) => announcer !== undefined);
  return announcers.length === 0 ? undefined : combineAnnouncers(announcers);
}
