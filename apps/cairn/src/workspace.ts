import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { SettingsShape } from '@cairn/service-kit';

const fromRoot = (path: string) => fileURLToPath(new URL(`../../../${path}`, import.meta.url));

/** Entries of the built services. */
export const services = {
  'storage-api': fromRoot('apps/storage-api/dist/main.js'),
  'rpc-gateway': fromRoot('apps/rpc-gateway/dist/main.js'),
  'ipfs-gateway': fromRoot('apps/ipfs-gateway/dist/main.js'),
  'ipfs-peer': fromRoot('apps/ipfs-peer/dist/main.js'),
  console: fromRoot('apps/console/dist/main.js'),
} as const;

/** Settings of the services, from their builds. `up` checks all of them before it starts a service. */
export async function loadServiceSettings(): Promise<SettingsShape> {
  const shapes = await Promise.all(
    Object.values(services).map(async (main) => {
      const { settingsShape }: { settingsShape: SettingsShape } = await import(
        join(dirname(main), 'compiled', 'settings.js')
      );
      return settingsShape;
    }),
  );
  return Object.assign({}, ...shapes);
}
