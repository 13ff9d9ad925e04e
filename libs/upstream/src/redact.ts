import { Buffer } from 'node:buffer';

/** Replaces credentials of an upstream in untrusted text and JSON. */
export interface Redactor {
  text(text: string): string;
  /** `undefined` for a value with credentials that cannot be written as JSON. */
  json(value: unknown): unknown;
}

/** Shorter parts of a path or query, such as `v3`, are no keys. Shorter passwords would match other text. */
const charactersMin = { key: 8, password: 4 } as const;
const replacement = '***';

/**
 * Creates the redactor of a URL: user, password, and those parts of path and query that are long enough for a key. Providers repeat
 * the key or the URL in their errors, which reach clients and logs.
 */
export function createRedactor(url: URL): Redactor {
  const { username, password, pathname, searchParams, search } = url;
  const signIn = [username, password].flatMap(forms).filter(({ length }) => length >= charactersMin.password);
  const keys = [...pathname.split('/'), ...searchParams.values(), ...search.slice(1).split(/[&=]/)]
    .flatMap(forms)
    .filter(({ length }) => length >= charactersMin.key);
  const basic = Buffer.from(`${decoded(username)}:${decoded(password)}`).toString('base64');
  const secrets = [...new Set([...signIn, ...keys, ...(basic.length > 4 ? [basic] : [])])].sort(
    (one, other) => other.length - one.length,
  );
  const text = (value: string) => secrets.reduce((rest, secret) => rest.replaceAll(secret, replacement), value);
  return {
    text,
    json(value) {
      if (typeof value === 'string') return text(value);
      if (secrets.length === 0 || typeof value !== 'object' || value === null) return value;
      try {
        const before = JSON.stringify(value);
        const after = text(before);
        return after === before ? value : JSON.parse(after);
      } catch {
        return undefined;
      }
    },
  };
}

/** Forms in which a text repeats a part of a URL: as it is, decoded, and the decoded one within JSON. */
function forms(part: string): readonly string[] {
  const plain = decoded(part);
  return [part, plain, JSON.stringify(plain).slice(1, -1)];
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part;
  }
}
