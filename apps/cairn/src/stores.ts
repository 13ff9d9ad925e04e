import { userInfo } from 'node:os';
import { join } from 'node:path';
import { Auth, openLmdbAccountStore } from '@cairn/auth';
import { loadNetworks, type Network } from '@cairn/chain-store';
import { loadSettings, type Settings } from '@cairn/service-kit';
import { defaultNetworksFile } from './workspace.ts';

/** Settings and accounts, open while `use` runs. */
export async function withAuth<T>(use: (auth: Auth, settings: Settings) => Promise<T>): Promise<T> {
  const settings = loadSettings();
  const auth = new Auth({
    store: await openLmdbAccountStore({ directory: join(settings.CAIRN_HOME, 'accounts') }),
    actor: { who: userName(), from: 'cairn command' },
  });
  try {
    return await use(auth, settings);
  } finally {
    await auth.close();
  }
}

/** Who runs the command; a container may have a user without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}

/** The networks that the settings name. @throws NETWORKS_INVALID */
export function networksOf({ CAIRN_NETWORKS }: Settings): readonly Network[] {
  return loadNetworks(CAIRN_NETWORKS ?? defaultNetworksFile);
}

/** Directory of a network's chain. */
export function chainDirectory({ CAIRN_HOME }: Settings, { name }: Network): string {
  return join(CAIRN_HOME, 'chains', name);
}
