import { InvalidRedirectsError } from './errors.ts';
import { limits } from './limits.ts';

/** Rule of a `_redirects` file (https://specs.ipfs.tech/http-gateways/web-redirects-file/). */
export interface RedirectRule {
  readonly from: readonly string[];
  readonly to: string;
  readonly status: number;
}

/** Result of the first rule that matches. */
export interface MatchedRedirect {
  readonly to: string;
  readonly status: number;
}

const statuses: ReadonlySet<number> = new Set([200, 301, 302, 303, 307, 308, 404, 410, 451]);
const statusDefault = 301;

/** Parses a `_redirects` file. @throws REDIRECTS_INVALID */
export function parseRedirects(bytes: Uint8Array): readonly RedirectRule[] {
  if (bytes.length > limits.redirectsBytesMax)
    throw new InvalidRedirectsError(`redirects file size cannot exceed ${limits.redirectsBytesMax} bytes`);
  const lines = new TextDecoder().decode(bytes).split('\n');
  return lines.map((line) => line.trim().replace(/\s+#.*$/, '')).flatMap((line) => parseRule(line) ?? []);
}

function parseRule(line: string): RedirectRule | undefined {
  if (line === '' || line.startsWith('#')) return undefined;
  const [from = '', to, status, ...rest] = line.split(/\s+/);
  if (to === undefined) throw new InvalidRedirectsError(`missing 'to' path: ${JSON.stringify(line.slice(0, 200))}`);
  if (rest.length > 0)
    throw new InvalidRedirectsError(`must match format 'from to [status]': ${JSON.stringify(line.slice(0, 200))}`);
  if (!from.startsWith('/'))
    throw new InvalidRedirectsError(`parsing from: path must begin with '/': ${JSON.stringify(from.slice(0, 200))}`);
  if (!to.startsWith('/') && !/^https?:\/\/[^/]/.test(to))
    throw new InvalidRedirectsError(
      `parsing to: must begin with '/', 'http://' or 'https://': ${JSON.stringify(to.slice(0, 200))}`,
    );
  const names = namesOf(from);
  if (names.some((name, index) => name.includes('*') && (name !== '*' || index !== names.length - 1)))
    throw new InvalidRedirectsError(
      `parsing from: an asterisk must be the last name: ${JSON.stringify(from.slice(0, 200))}`,
    );
  return { from: names, to, status: parseStatus(status) };
}

function parseStatus(status: string | undefined): number {
  if (status === undefined) return statusDefault;
  if (status.endsWith('!'))
    throw new InvalidRedirectsError(
      `parsing status ${JSON.stringify(status)}: forced redirects (or "shadowing") are not supported`,
    );
  const code = /^\d{3}$/.test(status) ? Number(status) : 0;
  if (!statuses.has(code))
    throw new InvalidRedirectsError(`parsing status ${JSON.stringify(status)}: status code is not supported`);
  return code;
}

/** Returns the target of the first rule that matches a decoded path, with its placeholders filled. */
export function matchRedirect(rules: readonly RedirectRule[], path: string): MatchedRedirect | undefined {
  const names = namesOf(path);
  for (const { from, to, status } of rules) {
    const values = matchNames(from, names);
    if (values !== undefined) return { to: fill(to, values), status };
  }
  return undefined;
}

function matchNames(pattern: readonly string[], names: readonly string[]): ReadonlyMap<string, string> | undefined {
  const values = new Map<string, string>();
  const hasSplat = pattern.at(-1) === '*';
  const fixed = hasSplat ? pattern.slice(0, -1) : pattern;
  if (hasSplat ? names.length < fixed.length : names.length !== fixed.length) return undefined;
  for (const [index, part] of fixed.entries()) {
    const name = names[index] ?? '';
    if (part.startsWith(':') && part.length > 1) values.set(part.slice(1), name);
    else if (part !== name) return undefined;
  }
  if (hasSplat) values.set('splat', names.slice(fixed.length).join('/'));
  return values;
}

function fill(to: string, values: ReadonlyMap<string, string>): string {
  return to.replace(/:([A-Za-z]\w*)/g, (whole, name: string) => {
    const value = values.get(name);
    return value === undefined ? whole : value.split('/').map(encodeURIComponent).join('/');
  });
}

function namesOf(path: string): readonly string[] {
  return path.split('/').filter((name) => name !== '');
}
