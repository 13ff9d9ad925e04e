import type { AccountStore } from '@cairn/auth';
import { CairnError } from '@cairn/errors';
import { openPostgres } from '@cairn/postgres';
import { openStores } from '@cairn/stores';
import { accountsStep } from './accounts-step.ts';
import { blocksStep } from './blocks-step.ts';
import { filesStep, pinsStep } from './content-steps.ts';
import { copyIdentityToDatabase, copyIdentityToHome } from './copy-identity.ts';
import type { MigrateStoresOptions } from './migrate-stores-options.ts';
import type { MigrationStep } from './migration-step.ts';
import { namesStep } from './names-step.ts';
import { copiesToDatabase, copiesToHome } from './record-copies.ts';
import { requestsStep } from './requests-step.ts';
import { billingStep, hostsStep, plansStep, usageStep } from './small-steps.ts';

export interface MigrationReport {
  readonly copied: Readonly<Record<string, Readonly<Record<string, number>>>>;
  readonly resumedAfter: readonly string[];
  readonly problems: readonly string[];
}

/** State of the migration, in the target. */
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
 * Copies the stores of a home to a database and a bucket, or those of a database and a bucket to an empty home, and compares both
 * sides. A stopped run is resumed: finished steps are not repeated. The services must be stopped.
 * @throws TARGET_INVALID, TARGET_NOT_EMPTY, MIGRATION_COMPLETE, SECRETS_KEY_UNUSABLE
 */
export async function migrateStores(options: MigrateStoresOptions): Promise<MigrationReport> {
  const { onStep } = options;
  const [from, to] = [openStores(options.from), openStores(options.to)];
  const bucket = options.from.CAIRN_OBJECT_STORE ?? options.to.CAIRN_OBJECT_STORE;
  if (from.has('blocks') && bucket === undefined)
    throw new CairnError('TARGET_INVALID', 'There are blocks to copy, and no object store is named.', {
      hint: 'Use --object-store, or set CAIRN_OBJECT_STORE.',
    });
  const steps = from.has('blocks') ? allSteps : allSteps.filter((step) => step !== blocksStep);
  const source = await from.accounts();
  const closing: { close(): Promise<void> }[] = [source];
  const kept = <Opened extends { close(): Promise<void> }>(opened: Opened) => {
    closing.unshift(opened);
    return opened;
  };
  try {
    const target = kept(await to.accounts());
    const url = options.to.CAIRN_DATABASE_URL;
    const copies =
      url === undefined ? copiesToHome(options.to.CAIRN_HOME) : copiesToDatabase(kept(await openPostgres({ url })));
    const before = await begin(source, target);
    if (url === undefined) await copyIdentityToHome(source, options);
    const parts = { from, to, copies, accountIds: await accountIdsOf(source) };
    const copied: Record<string, Readonly<Record<string, number>>> = {};
    for (const step of steps) {
      if (before.done.includes(step.name)) continue;
      onStep(`copying ${step.name}`);
      copied[step.name] = await step.copy(parts);
      await change(target, (state) => ({ ...state, done: [...state.done, step.name] }));
    }
    if (url !== undefined) await copyIdentityToDatabase(target, options);
    const problems: string[] = [];
    for (const step of steps) {
      onStep(`comparing ${step.name}`);
      problems.push(...(await step.compare(parts)));
    }
    await change(target, (state) => (problems.length === 0 ? { ...state, isComplete: true } : { ...state, done: [] }));
    return { copied, resumedAfter: before.done, problems };
  } finally {
    for (const store of closing) await store.close();
  }
}

/** Begins or resumes a migration. A target with accounts of its own is refused. */
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
      throw new CairnError('TARGET_NOT_EMPTY', 'The target has accounts that no migration of this source has copied.', {
        hint: 'Use an empty database, or a new directory, for the migration.',
      });
    return JSON.stringify({ source: id, done: [], isComplete: false } satisfies MigrationState);
  });
  const state = JSON.parse(text) as MigrationState;
  if (state.source !== id)
    throw new CairnError('TARGET_NOT_EMPTY', 'The target contains a migration of another source.', {
      hint: 'Use an empty database, or a new directory, for this source.',
    });
  if (!state.isComplete) return state;
  throw new CairnError('MIGRATION_COMPLETE', 'The source was already copied to this target.', {
    hint: 'Start the services on the target. For a new copy, use an empty database or a new directory.',
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
