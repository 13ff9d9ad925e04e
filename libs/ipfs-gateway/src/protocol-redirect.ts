import { GatewayError } from './errors.ts';
import { redirect } from './exchange.ts';
import type { GatewayResponse } from './gateway-types.ts';
import type { RequestTarget } from './request-target.ts';

/** Redirects /ipfs/?uri=ipfs://<cid>, which browsers open for a registered protocol handler. @throws GatewayError 400 */
export function protocolRedirect({ query, path }: RequestTarget): GatewayResponse | undefined {
  const uri = query.get('uri');
  if (uri === null || !/^\/ip[fn]s\/?$/.test(path)) return undefined;
  const [, scheme, rest = ''] = /^(ip[fn]s):\/\/(.*)$/is.exec(uri) ?? [];
  if (scheme === undefined) throw new GatewayError(400, 'uri query parameter scheme must be ipfs or ipns');
  return redirect(301, `/${scheme.toLowerCase()}/${escapeRest(rest)}`);
}

/** Escapes what a URL may not contain. Escapes of the text stay, such as that of a `#` in a name. */
function escapeRest(rest: string): string {
  try {
    decodeURIComponent(rest);
  } catch {
    throw new GatewayError(400, 'the uri query parameter has an invalid percent-encoding: write a percent sign as %25');
  }
  return encodeURI(rest).replace(/%25([0-9A-F]{2})/gi, '%$1');
}
