import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { addAccountCommands } from './commands/account.ts';
import { addAuditCommand } from './commands/audit.ts';
import { addBackupCommands } from './commands/backup.ts';
import { addCardCommands } from './commands/card.ts';
import { addChainCommands } from './commands/chain.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addGatewayCommands } from './commands/gateway.ts';
import { addImportCommand } from './commands/import.ts';
import { addKeyCommands } from './commands/key.ts';
import { addMemberCommands } from './commands/member.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addMigrateStoresCommand } from './commands/migrate-stores.ts';
import { addPlanCommands } from './commands/plan.ts';
import { addSecretsCommands } from './commands/secrets.ts';
import { addStatusCommand } from './commands/status.ts';
import { addUpCommand } from './commands/up.ts';

/** The `cairn` command with all subcommands. */
export function createProgram(): Command {
  const program = new Command('cairn')
    .description('Runs Cairn and manages its accounts, keys and chains. Works while the services run.')
    .version(manifest.version)
    .showHelpAfterError('Run with --help for usage.');
  addUpCommand(program);
  addStatusCommand(program);
  addDoctorCommand(program, manifest.version);
  addPlanCommands(program, addAccountCommands(program));
  addMemberCommands(program);
  addSecretsCommands(program);
  addCardCommands(program);
  addKeyCommands(program);
  addGatewayCommands(program);
  addAuditCommand(program);
  addImportCommand(program);
  addChainCommands(program);
  addBackupCommands(program);
  addMigrateCommand(program);
  addMigrateStoresCommand(program);
  return program;
}
