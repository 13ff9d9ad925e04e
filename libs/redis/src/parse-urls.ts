import { RedisError } from './errors.ts';

/** One server and how to connect to it. */
export interface RedisAddress {
  readonly host: string;
  readonly port: number;
}

export interface RedisTarget {
  /** Servers that are tried in this order. A cluster names its other servers itself. */
  readonly addresses: readonly [RedisAddress, ...RedisAddress[]];
  readonly username: string | undefined;
  readonly password: string | undefined;
  readonly database: number;
  readonly isTls: boolean;
}

/**
 * Parses `redis://user:password@host:port/database`, or `rediss:` for TLS. Several URLs are separated by commas: the servers of a
 * cluster, or a primary server and its replicas. User, password, database and TLS of the first apply to all.
 * @throws REDIS_URL_INVALID, which does not repeat the text
 */
export function parseRedisUrls(text: string): RedisTarget {
  const [first, ...others] = text.split(',').map((part) => parse(part.trim()));
  if (first === undefined) throw invalid();
  const [, database = ''] = first.pathname.split('/');
  if (!/^\d{0,4}$/.test(database)) throw invalid();
  return {
    addresses: [addressOf(first), ...others.map(addressOf)],
    username: first.username === '' ? undefined : decodeURIComponent(first.username),
    password: first.password === '' ? undefined : decodeURIComponent(first.password),
    database: Number(database),
    isTls: first.protocol === 'rediss:',
  };
}

function parse(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^rediss?:$/.test(url.protocol) || url.hostname === '') throw invalid();
  return url;
}

function addressOf({ hostname, port }: URL): RedisAddress {
  return { host: hostname.replace(/^\[|\]$/g, ''), port: port === '' ? 6379 : Number(port) };
}

function invalid(): RedisError {
  return new RedisError('REDIS_URL_INVALID', 'The URL of Redis does not parse.', {
    hint: 'Use redis://user:password@host:6379/0, or rediss: for TLS. Separate several servers by commas.',
  });
}
