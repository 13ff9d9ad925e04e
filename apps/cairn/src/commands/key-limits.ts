import type { KeyOptions, KeyPolicy, StorageScope } from '@cairn/auth';
import { type Command, InvalidArgumentError } from 'commander';
import type { CommandSettings } from '../settings.ts';

/** What the options of {@link withLimits} came to. */
export interface LimitOptions {
  readonly storage?: readonly string[];
  readonly networks?: readonly string[];
  readonly methods?: readonly string[];
  readonly contracts?: readonly string[];
  readonly origins?: readonly string[];
  readonly addresses?: readonly string[];
  readonly expires?: number;
}

/** Adds the options that limit a key. Lists are separated by commas; an empty one allows nothing. */
export function withLimits(command: Command): Command {
  return command
    .option('--storage <scopes>', 'what it may do in storage: read, add, pin', list)
    .option('--networks <names>', 'networks that JSON-RPC is open for', list)
    .option('--methods <names>', 'JSON-RPC methods, such as eth_call,eth_get*', list)
    .option('--contracts <addresses>', 'contracts that JSON-RPC may read or call', list)
    .option('--origins <origins>', 'web origins, such as https://app.example', list)
    .option('--addresses <ranges>', 'IP addresses of clients, such as 10.0.0.0/8', list)
    .option('--expires <when>', 'when it ends: 30d, 12h, or a date such as 2027-01-31', when);
}

/** Only what was given: what is left out has no limit, or keeps the one it has. */
export function limitsOf({ expires, storage, ...lists }: LimitOptions): Pick<KeyOptions, 'policy' | 'expiresAt'> {
  const given = Object.entries(lists).filter(([name]) => policyLists.has(name));
  // What the library does not know of it refuses.
  const policy: KeyPolicy = {
    ...Object.fromEntries(given),
    ...(storage && { storage: storage as readonly StorageScope[] }),
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
  throw new Error(`--networks: there is no network ${JSON.stringify(unknown)}. Choose from ${known.join(', ')}.`);
}

const policyLists = new Set(['networks', 'methods', 'contracts', 'origins', 'addresses']);

function list(text: string): readonly string[] {
  return text === '' ? [] : text.split(',').map((entry) => entry.trim());
}

const hourMs = 3_600_000;

function when(text: string): number {
  const [, count, unit] = /^(\d{1,5})([hd])$/.exec(text) ?? [];
  if (count !== undefined) return Date.now() + Number(count) * (unit === 'd' ? 24 : 1) * hourMs;
  const time = /^\d{4}-\d{2}-\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  if (time > Date.now()) return time;
  throw new InvalidArgumentError('Expected a time to come: 30d, 12h, or a date such as 2027-01-31.');
}
