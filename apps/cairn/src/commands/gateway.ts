import { CairnError } from '@cairn/errors';
import { type Command, InvalidArgumentError } from 'commander';
import { addressOf } from '../banner.ts';
import { parseContentPath } from '../parse-content-path.ts';
import { print, table, time } from '../print.ts';
import type { CommandSettings } from '../settings.ts';
import { openHome, withAuth } from '../stores.ts';
import { topCommand } from '../top-commands.ts';

/** Longest validity of a content link. */
const linkSecondsMax = 366 * 86_400;

interface JsonOption {
  readonly json?: boolean;
}

/** `cairn gateway host add|list|remove` and `cairn gateway sign` */
export function addGatewayCommands(program: Command): void {
  const group = topCommand(program, 'gateway');
  addHostCommands(group.command('host').description('Hosts that serve what one account has pinned.'));
  group
    .command('sign')
    .description('Signs a link to /ipfs/<cid>/path or /ipns/<name>/path. Anybody who has it reads all below the path.')
    .argument('<path>', 'path of content, such as /ipfs/<cid>/photo.jpg', parseContentPath)
    .requiredOption('--key <key>', 'key whose permissions apply and whose account pays')
    .option('--expires <seconds>', 'validity of the link', seconds, 3600)
    .option('--url <url>', 'address of the IPFS gateway (default: its port on this machine)', httpUrl)
    .option('--json', 'print JSON')
    .action((path: string, options: JsonOption & { key: string; expires: number; url?: URL }) =>
      withAuth(async (auth, settings) => {
        const expiresAt = Date.now() + options.expires * 1000;
        const link = await auth.signContentLink(options.key, { path, expiresAt });
        const url = options.url ?? localUrl(settings);
        url.pathname = path.split('/').map(encodeURIComponent).join('/');
        url.searchParams.set('cairn-link', link);
        print({ url: url.href, expiresAt }, options, [url.href, `It is valid until ${time(expiresAt)}.`]);
      }),
    );
}

function addHostCommands(group: Command): void {
  group
    .command('add <host>')
    .description('Serves the pins of an account under a host name and its subdomains, without a key. The account pays.')
    .requiredOption('--account <account>', 'id or name of the account')
    .option('--json', 'print JSON')
    .action((name: string, options: JsonOption & { readonly account: string }) =>
      withAuth(async (auth, settings) => {
        const { id } = await auth.account(options.account);
        const { parseGatewayHost } = await import('@cairn/auth');
        const entry = { host: parseGatewayHost(name), accountId: id, createdAt: Date.now() };
        const hosts = await openHome(settings).gatewayHosts();
        await hosts.put(entry).finally(() => hosts.close());
        print(entry, options, [`${entry.host} serves the pins of ${options.account} within a second.`]);
      }),
    );
  group
    .command('list')
    .description('Lists the dedicated hosts.')
    .option('--json', 'print JSON')
    .action((options: JsonOption) =>
      withAuth(async (auth, settings) => {
        const store = await openHome(settings).gatewayHosts();
        const hosts = await store.list().finally(() => store.close());
        const rows = await Promise.all(
          hosts.map(async ({ host, accountId, createdAt }) => [
            host,
            (await auth.account(accountId)).name,
            time(createdAt),
          ]),
        );
        print(hosts, options, table([['HOST', 'ACCOUNT', 'CREATED'], ...rows]));
      }),
    );
  group
    .command('remove <host>')
    .description('Removes a dedicated host. It is refused within a second.')
    .option('--json', 'print JSON')
    .action(async (name: string, options: JsonOption) => {
      const store = await openHome().gatewayHosts();
      await store.remove(name).finally(() => store.close());
      print({ host: name }, options, [`${name} serves nothing.`]);
    });
}

function seconds(text: string): number {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0;
  if (value > 0 && value <= linkSecondsMax) return value;
  throw new InvalidArgumentError(`Expected a number of seconds from 1 to ${linkSecondsMax}, which are 366 days.`);
}

function localUrl(settings: CommandSettings): URL {
  const { IPFS_GATEWAY_PORT: port } = settings;
  if (port !== 0) return new URL(addressOf(settings, port));
  throw new CairnError('USAGE_INVALID', 'The port of the IPFS gateway is not known: IPFS_GATEWAY_PORT is 0.', {
    hint: 'Pass its address: --url http://127.0.0.1:8081.',
  });
}

function httpUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol))
    throw new InvalidArgumentError('Expected an address such as https://dweb.example.');
  return url;
}
