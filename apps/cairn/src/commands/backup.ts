import { resolve } from 'node:path';
import type { Command } from 'commander';
import type { Manifest } from '../backup/manifest.ts';
import { print } from '../print.ts';
import { loadCommandSettings } from '../settings.ts';
import { openHome, requireEmbedded } from '../stores.ts';
import { topCommand } from '../top-commands.ts';

/** Advice for backups of the distributed form. */
const engineBackup =
  'Use the tools of the engines: pg_dump or an archive of PostgreSQL, then versions or a copy of the bucket.';

const homeRestore =
  'Unset CAIRN_DATABASE_URL, restore into an empty CAIRN_HOME, then copy it with `cairn migrate-stores`.';

interface JsonOption {
  readonly json?: boolean;
}

/** `cairn backup`, `cairn restore`, `cairn verify`, `cairn repair` */
export function addBackupCommands(program: Command): void {
  topCommand(program, 'backup')
    .option('--json', 'print JSON')
    .action(async (directory: string, options: JsonOption) => {
      const settings = loadCommandSettings();
      requireEmbedded(settings, 'backup', engineBackup);
      const { CAIRN_HOME, CAIRN_SECRETS_KEY_FILE: keyFile } = settings;
      const { backupHome, leftBackups } = await import('../backup/backup.ts');
      for (const path of await leftBackups(resolve(directory)))
        console.error(`${path} is incomplete: its backup runs, or was killed. Remove it if no backup runs.`);
      const tell = (name: string) => void (options.json || console.log(`copying ${name}`));
      const manifest = await backupHome(CAIRN_HOME, resolve(directory), { onStore: tell, keyFile });
      print(manifest, options, [
        `Backed up ${summary(manifest)} to ${directory}.`,
        'The key of second factors is not in it: keep a copy of secrets.key in another place.',
      ]);
    });
  topCommand(program, 'restore')
    .option('--json', 'print JSON')
    .action(async (directory: string, options: JsonOption) => {
      const settings = loadCommandSettings();
      requireEmbedded(settings, 'restore', homeRestore);
      const { CAIRN_HOME } = settings;
      const { restoreHome } = await import('../backup/restore.ts');
      const manifest = await restoreHome(resolve(directory), CAIRN_HOME);
      print(manifest, options, [`Restored ${summary(manifest)} of ${manifest.createdAt} to ${CAIRN_HOME}.`]);
    });
  topCommand(program, 'verify')
    .option('--json', 'print JSON')
    .action(async (options: JsonOption) => {
      const settings = loadCommandSettings();
      openHome(settings);
      const onStep = (step: string) => void (options.json || console.log(`checking ${step}`));
      const [{ networksOf }, { verifyEngines, verifyHome }] = await Promise.all([
        import('../networks.ts'),
        import('../backup/verify.ts'),
      ]);
      const networks = networksOf(settings);
      const report =
        settings.CAIRN_DATABASE_URL === undefined
          ? await verifyHome({ home: settings.CAIRN_HOME, networks, onStep })
          : await verifyEngines({ settings, networks, onStep });
      const { blocks, pins, accounts, chainBlocks, records, problems } = report;
      print(report, options, [
        ...problems.map((problem) => `WRONG  ${problem}`),
        `${records > 0 ? `${records} records, ` : ''}${blocks} blocks, ${pins} pins of ${accounts} accounts, ${chainBlocks} blocks of chains: ${problems.length === 0 ? 'all is well' : `${problems.length} problems`}`,
      ]);
      if (problems.length > 0) process.exitCode = 1;
    });
  addRepairCommand(program);
}

function addRepairCommand(program: Command): void {
  topCommand(program, 'repair')
    .option('--json', 'print JSON')
    .action(async (store: string, options: JsonOption) => {
      const settings = loadCommandSettings();
      requireEmbedded(settings, 'repair', 'Restore a damaged database from its backup.');
      openHome(settings);
      const { repairStore } = await import('../backup/repair-store.ts');
      const report = await repairStore(settings.CAIRN_HOME, store);
      const { records, lost, kept, index } = report;
      print(report, options, [
        ...lost.map((name) => `LOST  ${name}`),
        ...(index ? [`index: ${index.indexed} blocks added, ${index.removed} records without bytes removed`] : []),
        `${records} records copied, ${lost.length} lost. The damaged store is in ${kept}.`,
      ]);
    });
}

function summary({ files }: Manifest): string {
  const bytes = Object.values(files).reduce((sum, file) => sum + file.bytes, 0);
  return `${Object.keys(files).length} files with ${bytes} bytes`;
}
