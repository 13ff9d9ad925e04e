import { loadNetworks, type Network } from '@cairn/chain-store';
import { sampleNetworkFile } from '@cairn/service-kit';
import type { GatewaySettings } from './settings.ts';

/** Returns the networks of the networks file. @throws NETWORKS_INVALID */
export function networksOf({ CAIRN_NETWORKS }: GatewaySettings): readonly Network[] {
  return loadNetworks(CAIRN_NETWORKS ?? sampleNetworkFile(import.meta.url, 'networks.json'));
}
