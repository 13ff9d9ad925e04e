import {
  Auth,
  type Client,
  type FailureGate,
  type Principal,
  requireClient,
  requireNetwork,
  sharedFailureGate,
} from '@cairn/auth';
import { errorText, isCairnError } from '@cairn/errors';
import { type ProcessGroup, singleProcess } from '@cairn/service-kit';
import { PROCESSES } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import { authorizeTopic } from '../authorize.ts';
import type { Topic } from '../subscriptions/topic.ts';
import { TransportError } from './transport-error.ts';

/** Authenticates API keys in paths and checks which clients, networks and events a key allows. */
@Injectable()
export class ApiKeyGuard {
  readonly #failures: FailureGate;

  constructor(
    @Inject(Auth) private readonly auth: Pick<Auth, 'identify' | 'recent'>,
    @Inject(PROCESSES) processes: ProcessGroup = singleProcess,
  ) {
    this.#failures = sharedFailureGate(processes);
  }

  /** The principal of a recently used key without a promise; `undefined` if the key has to be read. */
  recent(key: string): Principal | undefined {
    return this.auth.recent(key);
  }

  /** Authenticates an API key. @throws TransportError 401, 403, or 429 after repeated failures */
  async identify(key: string, address: string | undefined): Promise<Principal> {
    try {
      this.#failures.check(key, address);
      const principal = await this.auth.identify(key);
      this.#failures.recordSuccess(key, address);
      return principal;
    } catch (error) {
      if (isCairnError(error, 'CREDENTIALS_INVALID')) this.#failures.recordFailure(key, address);
      throw authenticationError(error);
    }
  }

  /** Checks that a key allows a client and a network. @throws TransportError 403 */
  requireAllowed({ key: { policy } }: Principal, client: Client, network: string): void {
    forbidding(() => {
      requireClient(policy, client);
      requireNetwork(policy, network);
    });
  }

  /** Checks that a key still allows the events of a subscription. @throws TransportError 403 */
  requireTopic({ key: { policy } }: Principal, topic: Topic): void {
    forbidding(() => authorizeTopic(policy, topic));
  }
}

/** Converts a failed authentication to its HTTP status. Errors of the gateway itself are returned unchanged. */
function authenticationError(error: unknown): unknown {
  if (isCairnError(error, 'ATTEMPTS_PAUSED')) {
    const retryAfter = String(error.details?.retryAfterSeconds ?? 1);
    return new TransportError({
      status: 429,
      name: 'limit',
      message: errorText(error),
      headers: { 'retry-after': retryAfter },
    });
  }
  if (isCairnError(error, 'CREDENTIALS_INVALID'))
    return new TransportError({
      status: 401,
      name: 'notFound',
      message: 'The API key in the path is not valid. Create one in the console.',
      headers: { 'www-authenticate': 'ApiKey realm="cairn"' },
    });
  if (isCairnError(error, 'SECRETS_KEY_UNUSABLE'))
    return new TransportError({ status: 503, name: 'internal', message: errorText(error) });
  if (isCairnError(error, 'ACCOUNT_SUSPENDED'))
    return new TransportError({ status: 403, name: 'notFound', message: errorText(error) });
  return error;
}

function forbidding(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (isCairnError(error, 'CLIENT_NOT_ALLOWED', 'KEY_SCOPE_MISSING'))
      throw new TransportError({ status: 403, name: 'forbidden', message: errorText(error) });
    throw error;
  }
}

/** Extracts the key of `/v3/<key>` or `/ws/v3/<key>` and ignores a query; `undefined` for another path. */
export function keyInPath(url: string | undefined, prefix: string): string | undefined {
  if (!url?.startsWith(prefix)) return undefined;
  const path = url.slice(prefix.length).split('?', 1)[0]?.replace(/\/$/, '') ?? '';
  return path === '' || path.includes('/') ? undefined : path;
}

let lastUrl: string | undefined;
let lastPrefix = '';
let lastKey = '';

/** Like {@link keyInPath}. Clients repeat their path. @throws TransportError 401 for a path without a key */
export function requireKeyInPath(url: string | undefined, prefix: string): string {
  if (url !== undefined && url === lastUrl && prefix === lastPrefix) return lastKey;
  const key = keyInPath(url, prefix);
  if (key !== undefined) {
    lastUrl = url;
    lastPrefix = prefix;
    lastKey = key;
    return key;
  }
  throw new TransportError({
    status: 401,
    name: 'notFound',
    message: `The path has no API key; expected ${prefix}<API_KEY>.`,
  });
}
