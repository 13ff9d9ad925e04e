import { CairnError } from '@cairn/errors';
import type { Command } from 'commander';
import { print } from '../print.ts';
import { loadCommandSettings } from '../settings.ts';
import { openHome } from '../stores.ts';
import { topCommand } from '../top-commands.ts';

interface MigrateStoresCommandOptions {
  readonly to?: string;
  readonly objectStore?: string;
  readonly json?: boolean;
}

/** `cairn migrate-stores` */
export function addMigrateStoresCommand(program: Command): void {
  topCommand(program, 'migrate-stores')
    .option('--to <url>', 'database without a password, such as postgres://cairn@db.example/cairn; see below')
    .option('--object-store <url>', 'bucket of the blocks, such as s3://bucket/prefix?region=eu-1')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nOther users of the machine see arguments. Set PGPASSWORD for a password, or CAIRN_DATABASE_URL instead of --to.\nCAIRN_OBJECT_STORE can replace --object-store. Credentials are AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY.\nNot copied: sessions of members, processed billing events, limits, quarantined blocks, and chains.',
    )
    .action(async ({ to, objectStore, ...options }: MigrateStoresCommandOptions) => {
      const settings = loadCommandSettings();
      const url = targetOf(to, settings.CAIRN_DATABASE_URL);
      openHome({
        ...settings,
        CAIRN_DATABASE_URL: undefined,
        CAIRN_OBJECT_STORE: undefined,
        CAIRN_REDIS_URL: undefined,
      });
      const { migrateStores } = await import('../migrate-stores/migrate-stores.ts');
      const onStep = (line: string) => void (options.json || console.log(line));
      const { CAIRN_HOME: home, CAIRN_SECRETS_KEY: key, CAIRN_SECRETS_KEY_FILE: keyFile } = settings;
      const bucket = { ...settings, CAIRN_OBJECT_STORE: objectStore ?? settings.CAIRN_OBJECT_STORE };
      const report = await migrateStores({ home, url, bucket, key, keyFile, onStep });
      const { copied, problems } = report;
      print(report, options, [
        ...Object.entries(copied).map(([name, counts]) => `${name}: ${JSON.stringify(counts)}`),
        ...problems.map((problem) => `WRONG  ${problem}`),
        problems.length > 0
          ? `${problems.length} differences. Check that no service runs, and repeat the command.`
          : 'Both sides are equal. Start the services with CAIRN_DATABASE_URL, CAIRN_OBJECT_STORE and the secrets key of the home.',
      ]);
      if (problems.length > 0) process.exitCode = 1;
    });
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
