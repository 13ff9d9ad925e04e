import type { Command } from 'commander';
import { withAuth } from '../stores.ts';
import { topCommand } from '../top-commands.ts';
import { show } from './account.ts';

/** `cairn card attach|remove` */
export function addCardCommands(program: Command): void {
  const group = topCommand(program, 'card');
  group
    .command('attach <account>')
    .description('Attaches a card. Only its brand and last four digits are stored.')
    .requiredOption('--brand <brand>', 'such as visa')
    .requiredOption('--last4 <digits>', 'the last four digits')
    .option('--json', 'print JSON')
    .action((name: string, options: { readonly brand: string; readonly last4: string; readonly json?: boolean }) =>
      withAuth(async (auth) => show(await auth.attachCard(name, options), options)),
    );
  group
    .command('remove <account>')
    .description('Removes the card. Storage then refuses the account.')
    .option('--json', 'print JSON')
    .action((name: string, options: { readonly json?: boolean }) =>
      withAuth(async (auth) => show(await auth.removeCard(name), options)),
    );
}
