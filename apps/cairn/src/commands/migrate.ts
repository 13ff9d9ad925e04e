import { type Command, InvalidArgumentError } from 'commander';
import type { MigrationOptions } from '../migrate/run-migration.ts';
import { topCommand } from '../top-commands.ts';

/** `cairn migrate` */
export function addMigrateCommand(program: Command): void {
  topCommand(program, 'migrate')
    .requiredOption('--from <source>', 'kubo, infura, an address such as http://kubo:5001, or a directory of CAR files')
    .requiredOption('--to <address>', 'the storage API, such as http://127.0.0.1:5001')
    .option('--pins <file>', 'only these pins: a CSV file with CIDs in its first column, and names in the second')
    .option('--parallel <count>', 'DAGs that are copied concurrently', countOf, 8)
    .option('--state <file>', 'file with the state of each CID', 'cairn-migrate.jsonl')
    .option('--json', 'print JSON')
    .addHelpText(
      'after',
      '\nCredentials come from the environment: CAIRN_MIGRATE_KEY and CAIRN_MIGRATE_SECRET for --to,\nCAIRN_MIGRATE_FROM_KEY and CAIRN_MIGRATE_FROM_SECRET for --from.',
    )
    .action(async (options: MigrationOptions) => {
      const { runMigration } = await import('../migrate/run-migration.ts');
      await runMigration(options);
    });
}

function countOf(text: string): number {
  if (/^[1-9]\d?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a number from 1 to 99.');
}
