import type { Auth, Principal } from '@cairn/auth';
import { errorText, isCairnError } from '@cairn/errors';
import { RpcError } from '@cairn/jsonrpc-core';

/** A refusal with its HTTP status. */
export class DoorError extends RpcError {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    ...[name, message, headers = {}]: [
      ConstructorParameters<typeof RpcError>[0],
      string,
      Readonly<Record<string, string>>?,
    ]
  ) {
    super(name, message);
    this.status = status;
    this.headers = headers;
  }
}

/** Who an API key in a path belongs to. @throws DoorError 401 or 403 */
export async function identify(auth: Pick<Auth, 'identify'>, key: string): Promise<Principal> {
  try {
    return await auth.identify(key);
  } catch (error) {
    if (isCairnError(error, 'CREDENTIALS_INVALID')) {
      throw new DoorError(
        401,
        'notFound',
        'The API key in the path is not valid. Create one with `cairn key create`.',
        {
          'www-authenticate': 'ApiKey realm="cairn"',
        },
      );
    }
    if (isCairnError(error, 'ACCOUNT_SUSPENDED')) throw new DoorError(403, 'notFound', errorText(error));
    throw error;
  }
}

/** The key in `/v3/<key>` or `/ws/v3/<key>`, whatever query follows; `undefined` for another path. */
export function keyInPath(url: string | undefined, prefix: string): string | undefined {
  if (!url?.startsWith(prefix)) return undefined;
  const path = url.slice(prefix.length).split('?', 1)[0]?.replace(/\/$/, '') ?? '';
  return path === '' || path.includes('/') ? undefined : path;
}
