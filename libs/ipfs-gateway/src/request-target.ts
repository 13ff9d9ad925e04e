import { GatewayError } from './errors.ts';
import { limits } from './limits.ts';

/** Parsed request target. */
export interface RequestTarget {
  /** Path as sent, percent-encoded. */
  readonly rawPath: string;
  /** Path, decoded. */
  readonly path: string;
  /** Query as sent, with its question mark; empty without one. */
  readonly search: string;
  readonly query: URLSearchParams;
  /** Host of a target that is an absolute URL. */
  readonly authority?: string;
}

/** Parses the target of a request line: a path with a query, or an absolute URL. @throws GatewayError 400, 414 */
export function parseTarget(target: string): RequestTarget {
  if (target.length > limits.targetCharactersMax)
    throw new GatewayError(414, `the URL is longer than ${limits.targetCharactersMax} characters`);
  const absolute = /^https?:\/\/([^/?#]*)(.*)$/i.exec(target);
  const rest = absolute === null ? target : (absolute[2] ?? '');
  const at = rest.indexOf('?');
  const rawPath = (at === -1 ? rest : rest.slice(0, at)) || '/';
  const search = at === -1 ? '' : rest.slice(at);
  const query = new URLSearchParams(search);
  const authority = absolute?.[1];
  return { rawPath, path: decodePath(rawPath), search, query, ...(authority !== undefined && { authority }) };
}

function decodePath(raw: string): string {
  try {
    const path = decodeURIComponent(raw);
    // An escaped slash separates names, too: dot segments exist after decoding only.
    return /\/\.{1,2}(?:\/|$)/.test(path) ? cleanRawPath(path) : path;
  } catch {
    throw new GatewayError(400, `invalid path ${JSON.stringify(raw.slice(0, 256))}: invalid percent-encoding`);
  }
}

/** Removes `.`, `..` and empty names of a raw path. A slash at the end stays. */
export function cleanRawPath(rawPath: string): string {
  const names: string[] = [];
  const parts = rawPath.split('/');
  for (const name of parts) {
    if (name === '..') names.pop();
    else if (name !== '' && name !== '.') names.push(name);
  }
  const last = parts.at(-1);
  const endsWithSlash = names.length > 0 && (last === '' || last === '.' || last === '..');
  return `/${names.join('/')}${endsWithSlash ? '/' : ''}`;
}

/** Percent-encodes a path as Go's net/url does, and therefore also quotes. */
export function escapePath(path: string): string {
  return encodeURIComponent(path)
    .replace(/%(24|26|2B|2C|2F|3A|3B|3D|40)/g, (_, code: string) => String.fromCharCode(Number.parseInt(code, 16)))
    .replace(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
