import type { ApiKey, IssuedKey } from '@cairn/auth';
import { type Command, InvalidArgumentError } from 'commander';
import { UsageError } from '../exit-codes.ts';
import { print, table, time } from '../print.ts';
import { withAuth } from '../stores.ts';
import { topCommand } from '../top-commands.ts';
import { type LimitOptions, limitsOf, requireKnownNetworks, withLimits } from './key-limits.ts';

interface JsonOption {
  readonly json?: boolean;
}

/** `cairn key create|list|limit|rotate|revoke` */
export function addKeyCommands(program: Command): void {
  const group = topCommand(program, 'key');
  withLimits(group.command('create <account>'))
    .description('Creates a key and prints its secret once. Without options it has no limits.')
    .option('--name <name>', 'purpose of the key', 'default')
    .option('--json', 'print JSON')
    .action((account: string, options: JsonOption & LimitOptions & { readonly name: string }) =>
      withAuth(async (auth, settings) => {
        await requireKnownNetworks(settings, options);
        printIssued(await auth.createKey(account, { name: options.name, ...limitsOf(options) }), options);
      }),
    );
  withLimits(group.command('limit <key>'))
    .description('Replaces the limits of a key in every running service within a second.')
    .option('--open', 'remove all limits except the expiry')
    .option('--json', 'print JSON')
    .action((id: string, options: JsonOption & LimitOptions & { readonly open?: boolean }) =>
      withAuth(async (auth, settings) => {
        await requireKnownNetworks(settings, options);
        const limits = { ...(options.open && { policy: {} }), ...limitsOf(options) };
        if (Object.keys(limits).length === 0) throw new UsageError('Name a limit; see cairn key limit --help.');
        const key = await auth.limitKey(id, limits);
        print(withoutHashes(key), options, [`Limits of ${key.id}: ${limitText(key)}.`]);
      }),
    );
  group
    .command('list <account>')
    .description('Lists the keys of an account. Secrets are not kept, so they cannot be shown.')
    .option('--json', 'print JSON')
    .action((account: string, options: JsonOption) =>
      withAuth(async (auth) => {
        const keys = await auth.keys(account);
        const rows = keys.map((key) => [key.id, key.name, stateOf(key), time(key.createdAt), limitText(key)]);
        print(keys.map(withoutHashes), options, table([['KEY', 'NAME', 'STATE', 'CREATED', 'LIMITS'], ...rows]));
      }),
    );
  group
    .command('rotate <key>')
    .description('Creates a new secret of a key and prints it once. The old one stays valid for some hours.')
    .option('--grace <hours>', 'how long the old secret stays valid', hours, 24)
    .option('--json', 'print JSON')
    .action((key: string, options: JsonOption & { readonly grace: number }) =>
      withAuth(async (auth) => printIssued(await auth.rotateKey(key, { graceMs: options.grace * 3_600_000 }), options)),
    );
  group
    .command('revoke <key>')
    .description('Revokes a key permanently in every running service.')
    .option('--json', 'print JSON')
    .action((id: string, options: JsonOption) =>
      withAuth(async (auth) => {
        const key = await auth.revokeKey(id);
        print(withoutHashes(key), options, [`Revoked ${key.id}.`]);
      }),
    );
}

function printIssued({ key, secret }: IssuedKey, options: JsonOption): void {
  print({ ...withoutHashes(key), secret }, options, [
    `Key     ${key.id}`,
    `Secret  ${secret}`,
    'The secret cannot be shown again. Store it safely.',
  ]);
}

function withoutHashes({ secrets, ...key }: ApiKey) {
  return { ...key, secrets: secrets.length };
}

function limitText({ policy = {}, expiresAt }: ApiKey): string {
  const limits = Object.entries(policy).map(([name, entries]) => `${name} ${entries.join(',') || 'none'}`);
  if (expiresAt !== undefined) limits.push(`until ${time(expiresAt)}`);
  return limits.join('; ') || 'none';
}

function stateOf({ revokedAt, secrets, expiresAt }: ApiKey): string {
  if (revokedAt !== undefined) return `revoked ${time(revokedAt)}`;
  if (expiresAt !== undefined && expiresAt <= Date.now()) return 'ended';
  return secrets.length > 1 ? 'active, being rotated' : 'active';
}

function hours(text: string): number {
  if (/^\d{1,4}(\.\d+)?$/.test(text)) return Number(text);
  throw new InvalidArgumentError('Expected a number of hours such as 24, or 0 to end the old secret immediately.');
}
