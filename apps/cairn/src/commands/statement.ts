import type { Command } from 'commander';
import { print, table } from '../print.ts';
import { openHome, withAuth } from '../stores.ts';

interface Options {
  readonly month: string;
  readonly csv?: boolean;
  readonly json?: boolean;
}

/** `cairn account statement`, as part of `cairn account`. */
export function addStatementCommand(group: Command): void {
  group
    .command('statement <account>')
    .description('Shows the usage of an account in a month by service, operation, network and key.')
    .option('--month <month>', 'such as 2026-11 (UTC)', new Date().toISOString().slice(0, 7))
    .option('--csv', 'print CSV')
    .option('--json', 'print JSON')
    .action((name: string, { month, csv, json }: Options) =>
      withAuth(async (auth) => {
        const { createStatement, statementCsv } = await import('@cairn/billing');
        const usage = await openHome().usage();
        try {
          const statement = await createStatement({ usage, account: await auth.account(name), month });
          if (csv) return void process.stdout.write(statementCsv(statement));
          const { lines, total, storedBytes } = statement;
          const row = (line: typeof total) => [line.requests, line.errors, line.limited, line.credits].map(String);
          print(statement, { json }, [
            ...table([
              ['SERVICE', 'OPERATION', 'NETWORK', 'KEY', 'REQUESTS', 'ERRORS', 'LIMITED', 'CREDITS'],
              ...lines.map((line) => [line.service, line.operation, line.network, line.key, ...row(line)]),
              ['total', '', '', '', ...row(total)],
            ]),
            `${month}: stored ${storedBytes.mean} bytes on average, ${storedBytes.most} at most`,
          ]);
        } finally {
          await usage.close();
        }
      }),
    );
}
