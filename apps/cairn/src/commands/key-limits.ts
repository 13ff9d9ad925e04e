import type { KeyGrant, KeyOptions, KeyPolicy, StorageScope } from '@cairn/auth';
import { type Command, InvalidArgumentError } from 'commander';
import { UsageError } from '../exit-codes.ts';
import type { CommandSettings } from '../settings.ts';

/** Parsed options of {@link withLimits}. */
export interface LimitOptions {
  readonly storage?: readonly string[];
  readonly networks?: readonly string[];
  readonly methods?: readonly string[];
  readonly contracts?: readonly string[];
  readonly origins?: readonly string[];
  readonly addresses?: readonly string[];
  readonly grants?: readonly string[];
  readonly expires?: number;
}

/** Adds the options that limit a key. Lists are separated by commas; an empty list allows nothing. */
export function withLimits(command: Command): Command {
  return command
    .option('--storage <scopes>', 'storage scopes: read, add, pin', list)
    .option('--networks <names>', 'networks for JSON-RPC', list)
    .option('--methods <names>', 'JSON-RPC methods, such as eth_call,eth_get*', list)
    .option('--contracts <addresses>', 'contracts that JSON-RPC may read or call', list)
    .option('--origins <origins>', 'web origins, such as https://app.example', list)
    .option('--addresses <ranges>', 'IP addresses of clients, such as 10.0.0.0/8', list)
    .option(
      '--grants <scopes>',
      'permissions that no key has by default: send (transactions), node (the IPFS peer), call-without-from (eth_call)',
      list,
    )
    .option('--expires <when>', 'expiry: 30d, 12h, or a date such as 2027-01-31', (text: string) => parseExpiry(text));
}

/** Contains only given options: others stay without a limit, or keep theirs. */
export function limitsOf({
  expires,
  storage,
  grants,
  ...lists
}: LimitOptions): Pick<KeyOptions, 'policy' | 'expiresAt'> {
  const given = Object.entries(lists).filter(([name]) => policyLists.has(name));
  // The library refuses unknown values.
  const policy: KeyPolicy = {
    ...Object.fromEntries(given),
    ...(storage && { storage: storage as readonly StorageScope[] }),
    ...(grants && { grants: grants as readonly KeyGrant[] }),
  };
  return {
    ...(Object.keys(policy).length > 0 && { policy }),
    ...(expires !== undefined && { expiresAt: expires }),
  };
}

/** Checks the networks of a key against the networks file. @throws Error that names the known ones */
export async function requireKnownNetworks(settings: CommandSettings, { networks = [] }: LimitOptions): Promise<void> {
  if (networks.length === 0) return;
  const { networksOf } = await import('../networks.ts');
  const known = networksOf(settings).map(({ name }) => name);
  const unknown = networks.find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new UsageError(`--networks: there is no network ${JSON.stringify(unknown)}. Choose from ${known.join(', ')}.`);
}

const policyLists = new Set(['networks', 'methods', 'contracts', 'origins', 'addresses']);

function list(text: string): readonly string[] {
  return text === '' ? [] : text.split(',').map((entry) => entry.trim());
}

const hourMs = 3_600_000;

/** Parses an expiry: `30d`, `12h`, or a date. @throws InvalidArgumentError */
export function parseExpiry(text: string, now = Date.now()): number {
  const [, count, unit] = /^(\d{1,5})([hd])$/.exec(text) ?? [];
  const time = count === undefined ? dateOf(text) : now + Number(count) * (unit === 'd' ? 24 : 1) * hourMs;
  if (time > now) return time;
  throw new InvalidArgumentError('Expected a time in the future: 30d, 12h, or a date such as 2027-01-31.');
}

/** Milliseconds since 1970; NaN for a day that the calendar does not have, which `Date.parse` moves to the next month. */
function dateOf(text: string): number {
  const [day] = /^\d{4}-\d{2}-\d{2}/.exec(text) ?? [];
  const midnight = day === undefined ? Number.NaN : Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).toISOString().slice(0, 10) !== day) return Number.NaN;
  return Date.parse(text);
}
