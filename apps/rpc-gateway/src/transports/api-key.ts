import { type Auth, type Client, FailureGate, type Principal, requireClient, requireNetwork } from '@cairn/auth';
import { errorText, isCairnError } from '@cairn/errors';
import { RpcError } from '@cairn/jsonrpc-core';
import { authorizeTopic } from '../authorize.ts';
import type { Topic } from '../subscriptions/topic.ts';

/** A refusal with its HTTP status. */
export class TransportError extends RpcError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    ...[name, message, headers = {}, data]: [
      name: ConstructorParameters<typeof RpcError>[0],
      message: string,
      headers?: Readonly<Record<string, string>>,
      data?: unknown,
    ]
  ) {
    super(name, message, data);
    this.status = status;
    this.headers = headers;
  }
}

/** What was refused for a limit, with its status; anything else as it is. */
export function limitRefusal(error: unknown): unknown {
  if (!isCairnError(error, 'LIMIT_REACHED')) return error;
  const retryAfter = String(error.details.retryAfterSeconds);
  return new TransportError(429, 'limit', errorText(error), { 'retry-after': retryAfter }, error.details);
}

const failures = new FailureGate();

/** Who an API key in a path belongs to. @throws TransportError 401, 403, or 429 for who tries many */
export async function identify(
  auth: Pick<Auth, 'identify'>,
  key: string,
  address: string | undefined,
): Promise<Principal> {
  try {
    failures.check(key, address);
    const principal = await auth.identify(key);
    failures.succeeded(key, address);
    return principal;
  } catch (error) {
    if (isCairnError(error, 'ATTEMPTS_PAUSED')) {
      const retryAfter = String(error.details?.retryAfterSeconds ?? 1);
      throw new TransportError(429, 'limit', errorText(error), { 'retry-after': retryAfter });
    }
    if (isCairnError(error, 'CREDENTIALS_INVALID')) failures.failed(key, address);
    if (isCairnError(error, 'CREDENTIALS_INVALID')) {
      throw new TransportError(401, 'notFound', 'The API key in the path is not valid. Create one in the console.', {
        'www-authenticate': 'ApiKey realm="cairn"',
      });
    }
    if (isCairnError(error, 'SECRETS_KEY_UNUSABLE')) throw new TransportError(503, 'internal', errorText(error));
    if (isCairnError(error, 'ACCOUNT_SUSPENDED')) throw new TransportError(403, 'notFound', errorText(error));
    throw error;
  }
}

/** Whether a key is open for a client and a network. @throws TransportError 403 */
export function admit({ key: { policy } }: Principal, client: Client, network: string): void {
  forbidding(() => {
    requireClient(policy, client);
    requireNetwork(policy, network);
  });
}

/** Checks that a key is still open for the events of a subscription. @throws TransportError 403 */
export function admitTopic({ key: { policy } }: Principal, topic: Topic): void {
  forbidding(() => authorizeTopic(policy, topic));
}

function forbidding(check: () => void): void {
  try {
    check();
  } catch (error) {
    if (isCairnError(error, 'CLIENT_NOT_ALLOWED', 'KEY_SCOPE_MISSING'))
      throw new TransportError(403, 'forbidden', errorText(error));
    throw error;
  }
}

/** The key in `/v3/<key>` or `/ws/v3/<key>`, whatever query follows; `undefined` for another path. */
export function keyInPath(url: string | undefined, prefix: string): string | undefined {
  if (!url?.startsWith(prefix)) return undefined;
  const path = url.slice(prefix.length).split('?', 1)[0]?.replace(/\/$/, '') ?? '';
  return path === '' || path.includes('/') ? undefined : path;
}
