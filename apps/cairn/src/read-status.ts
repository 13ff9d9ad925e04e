import { existsSync } from 'node:fs';
import type { Auth } from '@cairn/auth';
import { knownChainSpec, knownChains } from '@cairn/block-model';
import { isUpstreamNetwork, openChainStore, type UpstreamNetwork } from '@cairn/chain-store';
import { openStores, type Stores } from '@cairn/stores';
import { chainDirectory, networksOf } from './networks.ts';
import type { CommandSettings } from './settings.ts';

/** Contents of a home. */
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

/** Chain id in the networks file, or that of a known chain. The id in a genesis file is not read. */
function upstreamChainId({ name, chainId, genesis }: UpstreamNetwork): string | undefined {
  if (chainId !== undefined) return String(chainId);
  const known = knownChains.find((chain) => chain === genesis);
  return known && knownChainSpec(name, known).chainId;
}
