import { join } from 'node:path';
import { loadNetworks, type Network } from '@cairn/chain-store';
import { sampleNetworkFile } from '@cairn/service-kit';
import type { CommandSettings } from './settings.ts';

/** Returns the networks of the settings. @throws NETWORKS_INVALID */
export function networksOf({ CAIRN_NETWORKS }: CommandSettings): readonly Network[] {
  return loadNetworks(CAIRN_NETWORKS ?? sampleNetworkFile(import.meta.url, 'networks.json'));
}

/** Directory of a network's chain. */
export function chainDirectory({ CAIRN_HOME }: CommandSettings, { name }: Network): string {
  return join(CAIRN_HOME, 'chains', name);
}
