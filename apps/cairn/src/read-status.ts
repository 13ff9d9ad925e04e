import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { Auth } from '@cairn/auth';
import { type Blockstore, openLmdbBlockstore } from '@cairn/blockstore';
import { openChainStore } from '@cairn/chain-store';
import { openLmdbPinStore, type PinStore } from '@cairn/pinning';
import { chainDirectory, networksOf } from './networks.ts';
import type { CommandSettings } from './settings.ts';

/** What a home holds. */
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
  }[];
}

/** Counts what is stored; makes no store that is not there yet. */
export async function readStatus(auth: Auth, settings: CommandSettings): Promise<Status> {
  const pins = await openIfPresent(settings, 'pins', openLmdbPinStore);
  try {
    const accounts: Status['accounts'][number][] = [];
    for await (const { id, name, status } of auth.accounts()) {
      const usage = (await (pins as PinStore | undefined)?.usage(id)) ?? { pins: 0, bytes: 0 };
      accounts.push({ name, status, keys: (await auth.keys(id)).length, ...usage });
    }
    return {
      home: settings.CAIRN_HOME,
      store: await storeStats(settings),
      accounts,
      networks: await networkStats(settings),
    };
  } finally {
    await pins?.close();
  }
}

async function openIfPresent<T>(
  settings: CommandSettings,
  name: string,
  open: (options: { readonly directory: string }) => Promise<T>,
): Promise<T | undefined> {
  const directory = join(settings.CAIRN_HOME, name);
  return existsSync(directory) ? await open({ directory }) : undefined;
}

async function storeStats(settings: CommandSettings): Promise<Status['store']> {
  const store: Blockstore | undefined = await openIfPresent(settings, 'blocks', openLmdbBlockstore);
  try {
    return (await store?.stats()) ?? { blocks: 0, bytes: 0 };
  } finally {
    await store?.close();
  }
}

async function networkStats(settings: CommandSettings): Promise<Status['networks']> {
  const stats: Status['networks'][number][] = [];
  for (const network of networksOf(settings)) {
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
