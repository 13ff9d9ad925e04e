import { Command } from 'commander';
import manifest from '../package.json' with { type: 'json' };
import { paint } from './paint.ts';
import { type TopCommandName, topCommand, topCommandNames } from './top-commands.ts';

type AddCommands = (program: Command) => void;

/** Modules of the commands. Several commands can be in one module. */
const groups: readonly { readonly names: readonly TopCommandName[]; readonly load: () => Promise<AddCommands> }[] = [
  {
    names: ['account', 'plan'],
    load: async () => {
      const [account, plan] = await Promise.all([import('./commands/account.ts'), import('./commands/plan.ts')]);
      return (program) => plan.addPlanCommands(program, account.addAccountCommands(program));
    },
  },
  {
    names: ['backup', 'restore', 'verify', 'repair'],
    load: async () => (await import('./commands/backup.ts')).addBackupCommands,
  },
  {
    names: ['doctor'],
    load: async () => {
      const { addDoctorCommand } = await import('./commands/doctor.ts');
      return (program) => addDoctorCommand(program, manifest.version);
    },
  },
  { names: ['init'], load: async () => (await import('./commands/init.ts')).addInitCommand },
  { names: ['completion'], load: async () => (await import('./commands/completion.ts')).addCompletionCommand },
  { names: ['up'], load: async () => (await import('./commands/up.ts')).addUpCommand },
  { names: ['status'], load: async () => (await import('./commands/status.ts')).addStatusCommand },
  { names: ['member'], load: async () => (await import('./commands/member.ts')).addMemberCommands },
  { names: ['secrets'], load: async () => (await import('./commands/secrets.ts')).addSecretsCommands },
  { names: ['card'], load: async () => (await import('./commands/card.ts')).addCardCommands },
  { names: ['key'], load: async () => (await import('./commands/key.ts')).addKeyCommands },
  { names: ['gateway'], load: async () => (await import('./commands/gateway.ts')).addGatewayCommands },
  { names: ['audit'], load: async () => (await import('./commands/audit.ts')).addAuditCommand },
  { names: ['import'], load: async () => (await import('./commands/import.ts')).addImportCommand },
  { names: ['chain'], load: async () => (await import('./commands/chain.ts')).addChainCommands },
  { names: ['store'], load: async () => (await import('./commands/store.ts')).addStoreCommands },
  { names: ['migrate'], load: async () => (await import('./commands/migrate.ts')).addMigrateCommand },
  {
    names: ['migrate-stores'],
    load: async () => (await import('./commands/migrate-stores.ts')).addMigrateStoresCommand,
  },
];

/**
 * The `cairn` command. Loads the modules of the command that the arguments name, and only the names and descriptions of the
 * others, so that `--help` and each command start without what they do not use.
 */
export async function createProgram(args: readonly string[]): Promise<Command> {
  const program = new Command('cairn')
    .description('Runs Cairn and manages its accounts, keys and chains. Works while the services run.')
    .version(manifest.version)
    .showHelpAfterError('Run with --help for usage.')
    .exitOverride();
  const isJson = args.includes('--json');
  program.configureOutput({
    // The error follows as JSON.
    ...(isJson && { writeErr: () => {} }),
    outputError: (text, write) => write(paint.error(text)),
  });
  const wanted = args[0] === 'help' ? args[1] : args[0];
  const group = groups.find(({ names }) => names.some((name) => name === wanted));
  (await group?.load())?.(program);
  for (const name of topCommandNames) if (!group?.names.includes(name)) topCommand(program, name);
  return program;
}
