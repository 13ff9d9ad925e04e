import { resolve } from 'node:path';
import { CairnError } from '@cairn/errors';
import { openStores } from '@cairn/stores';
import type { Command } from 'commander';
import type { MigrateStoresOptions } from '../migrate-stores/migrate-stores-options.ts';
import { print } from '../print.ts';
import { type CommandSettings, loadCommandSettings } from '../settings.ts';
import { openHome } from '../stores.ts';
import { topCommand } from '../top-commands.ts';

interface MigrateStoresCommandOptions {
  readonly to?: string;
  readonly toHome?: string;
  readonly objectStore?: string;
  readonly json?: boolean;
}

/** `cairn migrate-stores` */
export function addMigrateStoresCommand(program: Command): void {
  topCommand(program, 'migrate-stores')
    .option('--to <url>', 'database without a password, such as postgres://cairn@db.example/cairn; see below')
    .option('--to-home <directory>', 'copy the database and the bucket back into a new home')
    .option('--object-store <url>', 'bucket of the blocks, such as s3://bucket/prefix?region=eu-1')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nOther users of the machine see arguments. Set PGPASSWORD for a password, or CAIRN_DATABASE_URL instead of --to.\nCAIRN_OBJECT_STORE can replace --object-store. Credentials are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.\nNot copied: sessions of members, the request log, processed billing events, limits, quarantined blocks, and chains.',
    )
    .action(async (given: MigrateStoresCommandOptions) => {
      const settings = loadCommandSettings();
      const sides =
        given.toHome === undefined ? sidesToDatabase(given, settings) : sidesToHome(given.toHome, given, settings);
      const { migrateStores } = await import('../migrate-stores/migrate-stores.ts');
      const onStep = (line: string) => void (given.json || console.log(line));
      const { CAIRN_SECRETS_KEY: key, CAIRN_SECRETS_KEY_FILE: keyFile } = settings;
      const report = await migrateStores({ ...sides, key, keyFile, onStep });
      const { copied, problems } = report;
      print(report, given, [
        ...Object.entries(copied).map(([name, counts]) => `${name}: ${JSON.stringify(counts)}`),
        ...problems.map((problem) => `WRONG  ${problem}`),
        problems.length > 0
          ? `${problems.length} differences. Check that no service runs, and repeat the command.`
          : `Both sides are equal. ${nextStep(given)}`,
      ]);
      if (problems.length > 0) process.exitCode = 1;
    });
}

type Sides = Pick<MigrateStoresOptions, 'from' | 'to'>;

function sidesToDatabase({ to, objectStore }: MigrateStoresCommandOptions, settings: CommandSettings): Sides {
  const url = targetOf(to, settings.CAIRN_DATABASE_URL);
  const from = { CAIRN_HOME: settings.CAIRN_HOME };
  openHome({ ...settings, CAIRN_DATABASE_URL: undefined, CAIRN_OBJECT_STORE: undefined, CAIRN_REDIS_URL: undefined });
  const bucket = objectStore ?? settings.CAIRN_OBJECT_STORE;
  return { from, to: { ...settings, CAIRN_DATABASE_URL: url, CAIRN_OBJECT_STORE: bucket } };
}

/** @throws TARGET_INVALID */
function sidesToHome(
  directory: string,
  { to, objectStore }: MigrateStoresCommandOptions,
  settings: CommandSettings,
): Sides {
  if (to !== undefined)
    throw new CairnError('TARGET_INVALID', 'Both --to and --to-home are given.', {
      hint: 'Name the database of the source with CAIRN_DATABASE_URL, and the new home with --to-home.',
    });
  if (settings.CAIRN_DATABASE_URL === undefined)
    throw new CairnError('TARGET_INVALID', '--to-home copies a database, and CAIRN_DATABASE_URL is not set.', {
      hint: 'Set CAIRN_DATABASE_URL and CAIRN_OBJECT_STORE as the services have them.',
    });
  const home = resolve(directory);
  if (!openStores({ CAIRN_HOME: home }).has('accounts')) console.error(`Creating a new store in ${home}.`);
  return {
    from: { ...settings, CAIRN_OBJECT_STORE: objectStore ?? settings.CAIRN_OBJECT_STORE },
    to: { CAIRN_HOME: home },
  };
}

function nextStep({ toHome }: MigrateStoresCommandOptions): string {
  return toHome === undefined
    ? 'Start the services with CAIRN_DATABASE_URL, CAIRN_OBJECT_STORE and the secrets key of the home.'
    : `Start the services with CAIRN_HOME=${resolve(toHome)}, without CAIRN_DATABASE_URL, CAIRN_OBJECT_STORE, CAIRN_REDIS_URL and CAIRN_SECRETS_KEY.`;
}

/** Returns the URL of the database. @throws TARGET_INVALID */
function targetOf(to: string | undefined, setting: string | undefined): string {
  const url = to ?? setting;
  if (url === undefined)
    throw new CairnError('TARGET_INVALID', 'No database is named.', { hint: 'Use --to, or set CAIRN_DATABASE_URL.' });
  if (to !== undefined && URL.canParse(to) && new URL(to).password !== '')
    throw new CairnError('TARGET_INVALID', 'The URL of --to has a password, which other users of this machine see.', {
      hint: 'Change the password, then set PGPASSWORD, or CAIRN_DATABASE_URL instead of --to.',
    });
  return url;
}
