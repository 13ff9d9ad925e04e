import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type AccountStore, keepSecret, openSecrets } from '@cairn/auth';
import { CairnError } from '@cairn/errors';
import { openPeerIdentity, peerIdentitySecret } from '@cairn/peer-api/identity';
import { openPostgres } from '@cairn/postgres';
import { openStores, type StoreSettings } from '@cairn/stores';
import { accountsStep } from './accounts-step.ts';
import { blocksStep } from './blocks-step.ts';
import { filesStep, pinsStep } from './content-steps.ts';
import type { MigrationStep } from './migration-step.ts';
import { namesStep } from './names-step.ts';
import { requestsStep } from './requests-step.ts';
import { billingStep, hostsStep, plansStep, usageStep } from './small-steps.ts';

export interface MigrateStoresOptions {
  readonly home: string;
  /** URL of the database. */
  readonly url: string;
  /** Bucket of the blocks, with its credentials. */
  readonly bucket: Pick<
    StoreSettings,
    'CAIRN_OBJECT_STORE' | 'AWS_ACCESS_KEY_ID' | 'AWS_SECRET_ACCESS_KEY' | 'AWS_SESSION_TOKEN'
  >;
  readonly key?: string | undefined;
  readonly keyFile?: string | undefined;
  readonly onStep: (line: string) => void;
}

export interface MigrationReport {
  readonly copied: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly resumedAfter: readonly string[];
  readonly problems: readonly string[];
}

/** State of the migration, in the database. */
interface MigrationState {
  /** Hash of a secret of the source. */
  readonly source: string;
  readonly done: readonly string[];
  readonly isComplete: boolean;
}

/** Blocks come before the records that refer to them. */
const allSteps: readonly MigrationStep[] = [
  accountsStep,
  plansStep,
  billingStep,
  hostsStep,
  namesStep,
  blocksStep,
  pinsStep,
  requestsStep,
  filesStep,
  usageStep,
];
const stateName = 'migration';

/**
 * Copies the embedded stores of a home into a database, and compares both sides. A stopped run is resumed: finished steps are not
 * repeated. The services must be stopped.
 * @throws TARGET_INVALID, TARGET_NOT_EMPTY, MIGRATION_COMPLETE, SECRETS_KEY_UNUSABLE
 */
export async function migrateStores(options: MigrateStoresOptions): Promise<MigrationReport> {
  const { home, url, bucket, onStep } = options;
  const from = openStores({ CAIRN_HOME: home });
  if (from.has('blocks') && bucket.CAIRN_OBJECT_STORE === undefined)
    throw new CairnError('TARGET_INVALID', 'The home has blocks, and no object store is named.', {
      hint: 'Use --object-store, or set CAIRN_OBJECT_STORE.',
    });
  const steps = from.has('blocks') ? allSteps : allSteps.filter((step) => step !== blocksStep);
  const to = openStores({ ...bucket, CAIRN_HOME: home, CAIRN_DATABASE_URL: url });
  const [source, database] = [await from.accounts(), await openPostgres({ url })];
  const target = await to.accounts().catch(async (error: unknown) => {
    await Promise.all([source.close(), database.close()]);
    throw error;
  });
  try {
    const before = await begin(source, target);
    const parts = { from, to, database, accountIds: await accountIdsOf(source) };
    const copied: Record<string, Readonly<Record<string, number>>> = {};
    for (const step of steps) {
      if (before.done.includes(step.name)) continue;
      onStep(`copying ${step.name}`);
      copied[step.name] = await step.copy(parts);
      await change(target, (state) => ({ ...state, done: [...state.done, step.name] }));
    }
    await copyIdentity(target, options);
    const problems: string[] = [];
    for (const step of steps) {
      onStep(`comparing ${step.name}`);
      problems.push(...(await step.compare(parts)));
    }
    await change(target, (state) => (problems.length === 0 ? { ...state, isComplete: true } : { ...state, done: [] }));
    return { copied, resumedAfter: before.done, problems };
  } finally {
    await Promise.all([source.close(), target.close(), database.close()]);
  }
}

/** Begins or resumes a migration. A database with accounts of its own is refused. */
async function begin(source: AccountStore, target: AccountStore): Promise<MigrationState> {
  const { createHash } = await import('node:crypto');
  const id = createHash('sha256')
    .update('cairn migration')
    .update(await source.serviceSecret())
    .digest('hex');
  let hasAccounts = false;
  for await (const _ of target.accounts()) {
    hasAccounts = true;
    break;
  }
  const text = await target.changeSharedText(stateName, (known) => {
    if (known !== undefined) return known;
    if (hasAccounts)
      throw new CairnError('TARGET_NOT_EMPTY', 'The database has accounts that no migration of this home has copied.', {
        hint: 'Create an empty database for the migration.',
      });
    return JSON.stringify({ source: id, done: [], isComplete: false } satisfies MigrationState);
  });
  const state = JSON.parse(text) as MigrationState;
  if (state.source !== id)
    throw new CairnError('TARGET_NOT_EMPTY', 'The database contains a migration of another home.', {
      hint: 'Create an empty database for this home.',
    });
  if (!state.isComplete) return state;
  throw new CairnError('MIGRATION_COMPLETE', 'The home was already copied to this database.', {
    hint: 'Start the services with CAIRN_DATABASE_URL. For a new copy, create an empty database.',
  });
}

async function change(target: AccountStore, next: (state: MigrationState) => MigrationState): Promise<void> {
  await target.changeSharedText(stateName, (text = '') => JSON.stringify(next(JSON.parse(text) as MigrationState)));
}

async function accountIdsOf(source: AccountStore): Promise<readonly string[]> {
  const ids = ['console'];
  for await (const { id } of source.accounts()) ids.push(id);
  return ids;
}

/** Copies the identity of the node, sealed with the secrets key of the home, which the services need from now on as a setting. */
async function copyIdentity(target: AccountStore, { home, key, keyFile }: MigrateStoresOptions): Promise<void> {
  const file = keyFile ?? join(home, 'secrets.key');
  const hasKey = key !== undefined || (await readFile(file).then(Boolean, () => false));
  if (!hasKey) return;
  const { secrets } = await openSecrets(target, { home, key, keyFile: file, isShared: true });
  const pem = await readFile(join(home, 'identity.pem'), 'utf8').catch(() => undefined);
  if (pem === undefined) return;
  const keep = (create: () => string) => keepSecret(target, secrets, { name: peerIdentitySecret, create });
  await openPeerIdentity({ keep: () => keep(() => pem) });
}
