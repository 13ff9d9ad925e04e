import { byteText } from '@cairn/service-kit';
import type { Command } from 'commander';
import { countText, print, table } from '../print.ts';
import type { Status } from '../read-status.ts';
import { withAuth } from '../stores.ts';
import { topCommand } from '../top-commands.ts';

/** `cairn status` */
export function addStatusCommand(program: Command): void {
  topCommand(program, 'status')
    .option('--json', 'print JSON')
    .action((options: { readonly json?: boolean }) =>
      withAuth(async (auth, settings) => {
        const { readStatus } = await import('../read-status.ts');
        const status = await readStatus(auth, settings);
        print(status, options, lines(status));
      }),
    );
}

function lines({ home, store, accounts, services, networks }: Status): string[] {
  return [
    `Home      ${home}`,
    `Blocks    ${countText(store.blocks)}, ${byteText(store.bytes)}`,
    '',
    ...table([
      ['ACCOUNT', 'STATUS', 'KEYS', 'PINS', 'PINNED'],
      ...accounts.map((a) => [a.name, a.status, countText(a.keys), countText(a.pins), byteText(a.bytes)]),
    ]),
    '',
    ...table([
      ['SERVICE', 'ADDRESS', 'STATE'],
      ...services.map(({ name, url, state, reason }) => [
        name,
        url ?? '-',
        reason === undefined ? state : `${state}: ${reason}`,
      ]),
    ]),
    '',
    ...table([
      ['NETWORK', 'CHAIN ID', 'HEAD'],
      ...networks.map((n) => [
        n.name,
        n.chainId ?? '-',
        n.head ?? (n.isFromUpstreams ? 'from upstreams' : 'not imported'),
      ]),
    ]),
  ];
}
