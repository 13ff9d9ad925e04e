import type { Account } from '@cairn/auth';
import { byteText } from '@cairn/service-kit';
import type { Command } from 'commander';
import { parseBytes } from '../parse-bytes.ts';
import { print, table, time } from '../print.ts';
import { requirePlan } from '../require-plan.ts';
import { openHome, withAuth } from '../stores.ts';
import { topCommand } from '../top-commands.ts';
import { addStatementCommand } from './statement.ts';
import { addUsageCommand } from './usage.ts';
import { addWebhookCommands } from './webhook.ts';

interface JsonOption {
  readonly json?: boolean;
}

/** `cairn account create|list|show|quota|serve|webhook|usage|statement|suspend|resume`; returns the group for further commands. */
export function addAccountCommands(program: Command): Command {
  const group = topCommand(program, 'account');
  group
    .command('create <name>')
    .description('Creates an account without a billing card and without a key.')
    .option('--email <address>')
    .option('--plan <plan>', 'name of its plan', 'free')
    .option('--json', 'print JSON')
    .action((name: string, options: JsonOption & { readonly email?: string; readonly plan: string }) =>
      withAuth(
        async (auth, settings) => {
          const plans = await openHome(settings).plans();
          requirePlan(await plans.plans().finally(() => plans.close()), options.plan);
          const account = await auth.createAccount({ name, email: options.email, plan: options.plan });
          print(account, options, [
            `Created account ${account.name} (${account.id}).`,
            `Next: cairn card attach ${word(account.name)} --brand visa --last4 4242, then cairn key create ${word(account.name)}`,
          ]);
        },
        { mayCreate: true },
      ),
    );
  group
    .command('list')
    .description('Lists all accounts.')
    .option('--json', 'print JSON')
    .action((options: JsonOption) =>
      withAuth(async (auth) => {
        const accounts: Account[] = [];
        for await (const account of auth.accounts()) accounts.push(account);
        const rows = accounts.map((account) => [
          account.name,
          account.id,
          account.plan,
          account.status,
          card(account),
          time(account.createdAt),
        ]);
        print(accounts, options, table([['NAME', 'ID', 'PLAN', 'STATUS', 'CARD', 'CREATED'], ...rows]));
      }),
    );
  group
    .command('show <account>')
    .description('Shows an account, by name or id.')
    .option('--json', 'print JSON')
    .action((name: string, options: JsonOption) => withAuth(async (auth) => show(await auth.account(name), options)));
  group
    .command('quota <account> <bytes>')
    .description('Sets the storage quota of an account: 10GiB, 500MB, a number of bytes, or none.')
    .option('--json', 'print JSON')
    .action((name: string, bytes: string, options: JsonOption) =>
      withAuth(async (auth) => show(await auth.setQuota(name, parseBytes(bytes)), options)),
    );
  group
    .command('serve <account>')
    .description('Lets IPFS peers fetch the pinned content of an account. Applies with IPFS_PEER_SERVE=accounts.')
    .option('--off', 'refuses peers again')
    .option('--json', 'print JSON')
    .action((name: string, options: JsonOption & { readonly off?: boolean }) =>
      withAuth(async (auth) => show(await auth.setServing(name, options.off !== true), options)),
    );
  addUsageCommand(group);
  addStatementCommand(group);
  addWebhookCommands(group);
  for (const [verb, status] of [
    ['suspend', 'suspended'],
    ['resume', 'active'],
  ] as const) {
    group
      .command(`${verb} <account>`)
      .description(
        verb === 'suspend'
          ? 'Refuses every request of an account. Its data stays.'
          : 'Accepts the requests of a suspended account again.',
      )
      .option('--json', 'print JSON')
      .action((name: string, options: JsonOption) =>
        withAuth(async (auth) => show(await auth.setStatus(name, status), options)),
      );
  }
  return group;
}

/** Prints one account. */
export function show(account: Account, options: JsonOption): void {
  const { name, id, plan, status, email, quotaBytes, servesPeers } = account;
  print(account, options, [
    `${name} (${id})`,
    `  plan ${plan}, ${status}, card ${card(account)}${email ? `, ${email}` : ''}`,
    ...(quotaBytes === undefined ? [] : [`  quota ${byteText(quotaBytes)}`]),
    ...(servesPeers ? ['  serves IPFS peers'] : []),
  ]);
}

/** Name as one word of a shell. */
function word(name: string): string {
  return name.includes(' ') ? `'${name}'` : name;
}

function card({ card: attached }: Account): string {
  return attached ? `${attached.brand} …${attached.last4}` : 'none';
}
