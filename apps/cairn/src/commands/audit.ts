import type { AuditEntry } from '@cairn/auth';
import { type Command, InvalidArgumentError } from 'commander';
import { print, table, time } from '../print.ts';
import { withAuth } from '../stores.ts';
import { topCommand } from '../top-commands.ts';

/** `cairn audit [account]` */
export function addAuditCommand(program: Command): void {
  topCommand(program, 'audit')
    .option('--limit <count>', 'how many changes', count, 50)
    .option('--json', 'print JSON')
    .action((account: string | undefined, options: { readonly limit: number; readonly json?: boolean }) =>
      withAuth(async (auth) => {
        const entries: AuditEntry[] = [];
        for await (const entry of auth.auditEntries(account)) {
          if (entries.push(entry) >= options.limit) break;
        }
        const rows = entries.map(({ at, actor, action, accountId, keyId, change, before }) => [
          time(at),
          `${actor.who} (${actor.from})`,
          action,
          accountId,
          keyId ?? '',
          before === undefined ? '' : JSON.stringify(before),
          change === undefined ? '' : JSON.stringify(change),
        ]);
        print(entries, options, table([['TIME', 'WHO', 'ACTION', 'ACCOUNT', 'KEY', 'BEFORE', 'CHANGE'], ...rows]));
      }),
    );
}

function count(text: string): number {
  if (/^[1-9]\d{0,5}$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a number of at least 1.');
}
