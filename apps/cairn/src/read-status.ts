import { existsSync } from 'node:fs';
import type { Auth } from '@cairn/auth';
import { isUpstreamNetwork, openChainStore } from '@cairn/chain-store';
import { openStores, type Stores } from '@cairn/stores';
import { addressOf } from './banner.ts';
import { chainDirectory, networksOf, upstreamChainId } from './networks.ts';
import type { CommandSettings } from './settings.ts';
import { readiness } from './supervised-process.ts';

/** Readiness of a service, asked at the address of the settings. */
export interface ServiceStatus {
  readonly name: string;
  /** Undefined if the setting of the port is 0: only the running service has its port. */
  readonly url: string | undefined;
  readonly state: 'ready' | 'not ready' | 'not reachable' | 'unknown port';
  readonly reason?: string;
}

/** Contents of a home, and the services of the settings. */
export interface Status {
  readonly home: string;
  readonly store: { readonly blocks: number; readonly bytes: number };
  readonly accounts: readonly {
    readonly name: string;
    readonly status: string;
    readonly keys: number;
    readonly pins: number;
    readonly bytes: number;
  }[];
  readonly services: readonly ServiceStatus[];
  readonly networks: readonly {
    readonly name: string;
    readonly chainId: string | undefined;
    readonly head: string | undefined;
    /** Set for a network that is read from upstreams: only the gateway has its head. */
    readonly isFromUpstreams?: true;
  }[];
}

/** Counts the stored items; does not create missing stores. */
export async function readStatus(auth: Auth, settings: CommandSettings): Promise<Status> {
  const stores = openStores(settings);
  const pins = stores.has('pins') ? await stores.pins() : undefined;
  try {
    const accounts: Status['accounts'][number][] = [];
    for await (const { id, name, status } of auth.accounts()) {
      const usage = (await pins?.usage(id)) ?? { pins: 0, bytes: 0 };
      accounts.push({ name, status, keys: (await auth.keys(id)).length, ...usage });
    }
    return {
      home: settings.CAIRN_HOME,
      store: await storeStats(stores),
      accounts,
      services: await serviceStats(settings),
      networks: await networkStats(settings),
    };
  } finally {
    await pins?.close();
  }
}

async function storeStats(stores: Stores): Promise<Status['store']> {
  const store = stores.has('blocks') ? await stores.blocks() : undefined;
  try {
    return (await store?.stats()) ?? { blocks: 0, bytes: 0 };
  } finally {
    await store?.close();
  }
}

/** A service that is not started is not reachable, as is the IPFS peer after `CAIRN_IPFS_PEER=off`. */
async function serviceStats(settings: CommandSettings): Promise<Status['services']> {
  const { IPFS_PEER_URL, IPFS_PEER_API_BIND, IPFS_PEER_API_PORT: peerPort } = settings;
  const at = (port: number) => (port === 0 ? undefined : addressOf(settings, port));
  const peer = peerPort === 0 ? undefined : `http://${IPFS_PEER_API_BIND}:${peerPort}`;
  const urls = {
    'storage-api': at(settings.STORAGE_API_PORT),
    'rpc-gateway': at(settings.RPC_GATEWAY_PORT),
    'ipfs-gateway': at(settings.IPFS_GATEWAY_PORT),
    'ipfs-peer': IPFS_PEER_URL?.replace(/\/+$/, '') ?? peer,
    console: at(settings.CONSOLE_PORT),
  };
  return await Promise.all(
    Object.entries(urls).map(async ([name, url]): Promise<ServiceStatus> => {
      if (url === undefined) return { name, url, state: 'unknown port' };
      const answer = await readiness(`${url}/readyz`);
      if (answer === 'ready') return { name, url, state: 'ready' };
      const { reason } = answer;
      return reason === undefined ? { name, url, state: 'not reachable' } : { name, url, state: 'not ready', reason };
    }),
  );
}

async function networkStats(settings: CommandSettings): Promise<Status['networks']> {
  const stats: Status['networks'][number][] = [];
  for (const network of networksOf(settings)) {
    if (isUpstreamNetwork(network)) {
      stats.push({ name: network.name, chainId: upstreamChainId(network), head: undefined, isFromUpstreams: true });
      continue;
    }
    const directory = chainDirectory(settings, network);
    if (!existsSync(directory)) {
      stats.push({ name: network.name, chainId: undefined, head: undefined });
      continue;
    }
    const store = await openChainStore({ directory });
    stats.push({ name: network.name, chainId: store.spec?.chainId, head: store.headOrNone?.number.toString() });
    await store.close();
  }
  return stats;
}
