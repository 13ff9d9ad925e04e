import { userInfo } from 'node:os';
import { join } from 'node:path';
import { type AccountStore, type Actor, Auth, Members, type SecretSettings } from '@cairn/auth';
import { CairnError } from '@cairn/errors';
import { openStores, type Stores } from '@cairn/stores';
import { hasStore } from './backup/has-store.ts';
import { type CommandSettings, loadCommandSettings } from './settings.ts';

export interface HomeOptions {
  /** Creates the home when it is missing. Default false: a mistyped CAIRN_HOME must not become an empty store. */
  readonly mayCreate?: boolean;
}

/** Runs `use` with settings and accounts open. @throws HOME_NOT_FOUND */
export async function withAuth<T>(
  use: (auth: Auth, settings: CommandSettings) => Promise<T>,
  options: HomeOptions = {},
): Promise<T> {
  return await withAccounts(({ auth, settings }) => use(auth, settings), options);
}

/** Runs `use` with the members of the console open. @throws HOME_NOT_FOUND */
export async function withMembers<T>(use: (members: Members, actor: Actor) => Promise<T>): Promise<T> {
  return await withAccounts(({ members }) => use(members, operator()), {});
}

async function withAccounts<T>(
  use: (accounts: { readonly auth: Auth; readonly members: Members; readonly settings: CommandSettings }) => Promise<T>,
  options: HomeOptions,
): Promise<T> {
  const settings = loadCommandSettings();
  const stores = openStores(settings);
  requireHome(stores, settings, options);
  const store = await stores.accounts();
  try {
    const auth = new Auth({ store, actor: operator() });
    return await use({ auth, members: new Members({ auth, store: store.members }), settings });
  } finally {
    await store.close();
  }
}

/** Settings of the keys that seal secrets. */
export function secretSettings(settings: CommandSettings): SecretSettings {
  const { CAIRN_HOME: home, CAIRN_SECRETS_KEY: key, CAIRN_SECRETS_KEY_FILE: keyFile } = settings;
  return { home, key, keyFile, isShared: settings.CAIRN_DATABASE_URL !== undefined };
}

/** Runs `use` with the store of accounts open. @throws HOME_NOT_FOUND */
export async function withAccountStore<T>(
  settings: CommandSettings,
  use: (store: AccountStore) => Promise<T>,
): Promise<T> {
  const store = await openHome(settings).accounts();
  try {
    return await use(store);
  } finally {
    await store.close();
  }
}

/** Stores of a home that exists. @throws HOME_NOT_FOUND, HOME_UNREADABLE */
export function openHome(settings = loadCommandSettings()): Stores {
  const stores = openStores(settings);
  requireHome(stores, settings);
  return stores;
}

/**
 * Refuses a command that works on the files of a home. It must not report on files while the state is in a database.
 * @throws COMMAND_NOT_DISTRIBUTED
 */
export function requireEmbedded({ CAIRN_DATABASE_URL }: CommandSettings, command: string, hint: string): void {
  if (CAIRN_DATABASE_URL === undefined) return;
  throw new CairnError(
    'COMMAND_NOT_DISTRIBUTED',
    `\`cairn ${command}\` works on the files of CAIRN_HOME, and CAIRN_DATABASE_URL is set.`,
    { hint },
  );
}

function requireHome(stores: Stores, { CAIRN_HOME }: CommandSettings, { mayCreate = false }: HomeOptions = {}): void {
  if (stores.has('accounts')) return;
  // Without the right to read the home, its stores seem to be missing.
  hasStore(join(CAIRN_HOME, 'accounts'));
  if (!mayCreate)
    throw new CairnError('HOME_NOT_FOUND', `There is no store in ${CAIRN_HOME}.`, {
      hint: 'Set CAIRN_HOME to the home of the services. `cairn up` and `cairn account create` make a new one.',
    });
  console.error(`Creating a new store in ${CAIRN_HOME}.`);
}

function operator(): Actor {
  return { who: userName(), from: 'cairn command' };
}

/** User who runs the command; a container may have a user without a name. */
function userName(): string {
  try {
    return userInfo().username;
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}`;
  }
}
