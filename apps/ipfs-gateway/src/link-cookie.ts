import type { RequestSource } from './client-of-request.ts';

/** Parameter of a URL that has a content link, and name of the cookie. */
const linkParameter = 'cairn-link';

/** Characters of a Cookie field that are read. */
const cookieCharactersMax = 32_768;

/** Returns the content link of a request target. */
export function linkOfTarget(target: string): string | undefined {
  const at = target.indexOf('?');
  if (at === -1 || !target.includes(linkParameter, at)) return undefined;
  return new URLSearchParams(target.slice(at)).get(linkParameter) ?? undefined;
}

/** Returns the content link of the cookie that {@link linkCookie} has set. */
export function linkOfCookie(cookie: string | undefined): string | undefined {
  if (cookie === undefined || cookie.length > cookieCharactersMax) return undefined;
  return /(?:^|;\s*)cairn-link=([\w.-]+)/.exec(cookie)?.[1];
}

/**
 * Returns the cookie for a browser that opened a link, so that pages below the signed path can load their parts and follow
 * their links. It is sent back for that path only, or on a subdomain of the content for that origin. Other clients get none.
 */
export function linkCookie(
  token: string,
  path: string,
  { target, headers, isHttps }: Pick<RequestSource, 'target' | 'headers' | 'isHttps'>,
): string | undefined {
  if (headers['sec-fetch-dest'] !== 'document') return undefined;
  const isPathGateway = /^\/ip[fn]s\//.test(target);
  const scope = isPathGateway ? path.split('/').map(encodeURIComponent).join('/') : '/';
  return `${linkParameter}=${token}; Path=${scope}; HttpOnly; SameSite=Lax${isHttps ? '; Secure' : ''}`;
}
