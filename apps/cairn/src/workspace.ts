import { fileURLToPath } from 'node:url';

const fromRoot = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The sample network: what is served where CAIRN_NETWORKS names no other. */
export const defaultNetworksFile = fromRoot('tools/sample-network/network/networks.json');
/** Addresses of its contracts, for the lines that `up` prints. */
export const sampleContractsFile = fromRoot('tools/sample-network/network/contracts.json');
/** The services, built. */
export const services = {
  'storage-api': fromRoot('apps/storage-api/dist/main.js'),
  'rpc-gateway': fromRoot('apps/rpc-gateway/dist/main.js'),
  console: fromRoot('apps/console/dist/main.js'),
} as const;
