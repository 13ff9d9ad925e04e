import { CairnError, isCairnError } from '@cairn/errors';
import type { KuboEndpoint } from './kubo-endpoint.ts';

/** End of a migration that `check-access` gives credentials for. */
export interface Side {
  /** Option of the command line. */
  readonly option: '--from' | '--to';
  /** Environment variables of its key and secret. */
  readonly variables: string;
}

/**
 * Lists the first pin of a server, so that wrong credentials end the command before anything is copied.
 * @throws ACCESS_REFUSED, ENDPOINT_UNREACHABLE
 */
export async function checkAccess(endpoint: KuboEndpoint, { option, variables }: Side): Promise<void> {
  try {
    const body = await endpoint.post('pin/ls', { type: 'recursive', stream: 'true' });
    // The listing may be long: one byte shows that it is permitted.
    for await (const _ of body) break;
  } catch (error) {
    if (isCairnError(error, 'ENDPOINT_UNREACHABLE'))
      throw new CairnError('ENDPOINT_UNREACHABLE', `${option}: the server is unreachable, or closed the connection.`, {
        hint: 'Check the address, and that the server runs.',
        cause: error,
      });
    const status = isCairnError(error, 'ENDPOINT_REFUSED') ? Number(error.details.status) : undefined;
    if (status === 401 || status === 403)
      throw new CairnError('ACCESS_REFUSED', `${option}: the server refuses the credentials (status ${status}).`, {
        hint: `Set ${variables} in the environment.`,
        cause: error,
      });
    throw error;
  }
}
