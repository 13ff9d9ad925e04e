import { join } from 'node:path';
import { knownChainSpec, knownChains } from '@cairn/block-model';
import {
  isLocalNetwork,
  type LocalNetwork,
  loadNetworks,
  type Network,
  type UpstreamNetwork,
} from '@cairn/chain-store';
import { CairnError } from '@cairn/errors';
import { sampleNetworkFile } from '@cairn/service-kit';
import { requireRestored } from '@cairn/stores';
import { UsageError } from './exit-codes.ts';
import type { CommandSettings } from './settings.ts';

/** Returns the networks of the settings. @throws NETWORKS_INVALID */
export function networksOf({ CAIRN_NETWORKS }: CommandSettings): readonly Network[] {
  return loadNetworks(CAIRN_NETWORKS ?? sampleNetworkFile(import.meta.url, 'networks.json'));
}

/** Returns the networks that are imported. @throws NETWORKS_INVALID */
export function localNetworks(settings: CommandSettings): readonly LocalNetwork[] {
  return networksOf(settings).filter(isLocalNetwork);
}

/** Returns the imported network with a name. @throws NETWORKS_INVALID, NETWORK_NOT_FOUND, USAGE_INVALID for one that is not imported */
export function localNetwork(settings: CommandSettings, name: string): LocalNetwork {
  const networks = networksOf(settings);
  const found = networks.find((network) => network.name === name);
  if (found === undefined)
    throw new CairnError(
      'NETWORK_NOT_FOUND',
      `There is no network ${JSON.stringify(name)}. Known are ${networks.map((network) => network.name).join(', ')}.`,
    );
  if (!isLocalNetwork(found))
    throw new UsageError(`The network ${name} is read from upstreams. It needs no import; start the gateway.`);
  return found;
}

/** Directory of a network's chain. @throws HOME_INCOMPLETE */
export function chainDirectory({ CAIRN_HOME }: CommandSettings, { name }: Network): string {
  requireRestored(CAIRN_HOME);
  return join(CAIRN_HOME, 'chains', name);
}

/** Chain id in the networks file, or that of a known chain. The id in a genesis file is not read. */
export function upstreamChainId({ name, chainId, genesis }: UpstreamNetwork): string | undefined {
  if (chainId !== undefined) return String(chainId);
  const known = knownChains.find((chain) => chain === genesis);
  return known && knownChainSpec(name, known).chainId;
}
