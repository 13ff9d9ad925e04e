import { userInfo } from 'node:os';
import { join } from 'node:path';
import { type Actor, Auth, Members, openLmdbAccountStore } from '@cairn/auth';
import { loadSettings, type Settings } from '@cairn/service-kit';

/** Settings and accounts, open while `use` runs. */
export async function withAuth<T>(use: (auth: Auth, settings: Settings) => Promise<T>): Promise<T> {
  return await withAccounts(({ auth, settings }) => use(auth, settings));
}

/** Who signs in, open while `use` runs. */
export async function withMembers<T>(use: (members: Members, actor: Actor) => Promise<T>): Promise<T> {
  return await withAccounts(({ members }) => use(members, operator()));
}

async function withAccounts<T>(
  use: (accounts: { readonly auth: Auth; readonly members: Members; readonly settings: Settings }) => Promise<T>,
): Promise<T> {
  const settings = loadSettings();
  const store = await openLmdbAccountStore({ directory: accountsDirectory(settings) });
  try {
    const auth = new Auth({ store, actor: operator() });
    return await use({ auth, members: new Members({ auth, store: store.members }), settings });
  } finally {
    await store.close();
  }
}

/** Where accounts, plans and usage are. */
export function accountsDirectory({ CAIRN_HOME } = loadSettings()): string {
  return join(CAIRN_HOME, 'accounts');
}

function operator(): Actor {
  return { who: userName(), from: 'cairn command' };
}

/** Who runs the command; a container may have a user without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
