import { CairnError } from '@cairn/errors';

export type PublicHttpErrorCode =
  | 'HTTP_ADDRESS_REFUSED'
  | 'HTTP_URL_INVALID'
  | 'HTTP_REDIRECT_REFUSED'
  | 'HTTP_BODY_TOO_LARGE'
  | 'HTTP_TIMEOUT'
  | 'HTTP_FAILED'
  | 'HTTP_CLOSED';

/** Error of this package. Messages name hosts only, since a URL may contain a key. */
export class PublicHttpError extends CairnError<PublicHttpErrorCode> {}

/** Reports a host whose addresses are all outside of the public internet. */
export function addressRefused(host: string, addresses: readonly string[]): PublicHttpError {
  return new PublicHttpError('HTTP_ADDRESS_REFUSED', `Host ${host} has no public address: ${addresses.join(', ')}.`, {
    hint: 'Name a host of the public internet, or let the operator allow private addresses.',
    details: { host, addresses },
  });
}
