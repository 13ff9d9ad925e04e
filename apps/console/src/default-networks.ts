import { fileURLToPath } from 'node:url';

/** The sample network of this repository: what is served where CAIRN_NETWORKS names no other. */
export const defaultNetworksFile = fileURLToPath(
  new URL('../../../tools/sample-network/network/networks.json', import.meta.url),
);
