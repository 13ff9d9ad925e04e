import type { Member } from '@cairn/auth';
import type { Command } from 'commander';
import { generatePassword } from '../generate-password.ts';
import { print, table, time } from '../print.ts';
import { withMembers } from '../stores.ts';
import { topCommand } from '../top-commands.ts';

interface JsonOption {
  readonly json?: boolean;
}

/** `cairn member list|create|password|reset-totp` */
export function addMemberCommands(program: Command): void {
  const group = topCommand(program, 'member');
  group
    .command('list')
    .description('Lists the people who can sign in.')
    .option('--json', 'print JSON')
    .action((options: JsonOption) =>
      withMembers(async (members) => {
        const found: Omit<Member, 'passwordHash' | 'totp' | 'passkeys'>[] = [];
        for await (const { passwordHash: _, totp: __, passkeys: ___, ...member } of members.list()) found.push(member);
        const rows = found.map(({ email, accountId, role, createdAt }) => [email, accountId, role, time(createdAt)]);
        print(found, options, table([['E-MAIL', 'ACCOUNT', 'ROLE', 'CREATED'], ...rows]));
      }),
    );
  group
    .command('create <account> <email>')
    .description('Creates a sign-in for an account, with a password that is shown once.')
    .option('--operator', 'role for all accounts')
    .option('--json', 'print JSON')
    .action((account: string, email: string, { operator, json }: JsonOption & { readonly operator?: boolean }) =>
      withMembers(async (members, actor) => {
        const password = generatePassword();
        const role = operator ? 'operator' : 'owner';
        const { id } = await members.add(account, { email, password, role, actor });
        print({ id, email, role, password }, { json }, [
          `${email} can sign in, as ${role}.`,
          `Password   ${password}   (shown this once)`,
        ]);
      }),
    );
  group
    .command('password <email>')
    .description('Sets a new password, shown once, and ends all sessions of the person.')
    .option('--json', 'print JSON')
    .action((email: string, options: JsonOption) =>
      withMembers(async (members, actor) => {
        const password = generatePassword();
        await members.setPassword(await members.byEmail(email), password, actor);
        print({ email, password }, options, [`Password   ${password}   (shown this once)`]);
      }),
    );
  group
    .command('reset-totp <email>')
    .description('Removes a lost second factor.')
    .option('--json', 'print JSON')
    .action((email: string, options: JsonOption) =>
      withMembers(async (members, actor) => {
        await members.removeTotp(await members.byEmail(email), undefined, actor);
        print({ email }, options, [`${email} signs in with the password alone.`]);
      }),
    );
}
