import { fileURLToPath } from 'node:url';

const fromRoot = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** The services, built. */
export const services = {
  'storage-api': fromRoot('apps/storage-api/dist/main.js'),
  'rpc-gateway': fromRoot('apps/rpc-gateway/dist/main.js'),
  console: fromRoot('apps/console/dist/main.js'),
} as const;
