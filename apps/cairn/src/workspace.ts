import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { CairnError } from '@cairn/errors';
import type { SettingsShape } from '@cairn/service-kit';

/** Entry of a built service: beside this program in the repository and in the folders of a deployment. */
const entry = (name: string) => fileURLToPath(new URL(`../../${name}/dist/main.js`, import.meta.url));

/** Entries of the built services. */
export const services = {
  'storage-api': entry('storage-api'),
  'rpc-gateway': entry('rpc-gateway'),
  'ipfs-gateway': entry('ipfs-gateway'),
  'ipfs-peer': entry('ipfs-peer'),
  console: entry('console'),
} as const;

const settingsFile = (main: string) => join(dirname(main), 'compiled', 'settings.js');

/** Names of the services whose builds are not on this machine, as in a container that has only this program. */
export function missingServices(): string[] {
  return Object.entries(services).flatMap(([name, main]) => (existsSync(settingsFile(main)) ? [] : [name]));
}

/** Requires the builds of all services. @throws SERVICES_NOT_FOUND */
export function requireServices(): void {
  const missing = missingServices();
  if (missing.length === 0) return;
  throw new CairnError('SERVICES_NOT_FOUND', `\`cairn up\` finds no build of ${missing.join(', ')}.`, {
    hint: 'Run `npm start` in the repository, or start each deployed service by its own dist/main.js.',
  });
}

/** Settings of the services whose builds are there. `up` checks all of them before it starts a service. */
export async function loadServiceSettings(): Promise<SettingsShape> {
  const files = Object.values(services).map(settingsFile).filter(existsSync);
  const shapes = await Promise.all(
    files.map(async (file) => {
      const { settingsShape }: { settingsShape: SettingsShape } = await import(file);
      return settingsShape;
    }),
  );
  return Object.assign({}, ...shapes);
}
