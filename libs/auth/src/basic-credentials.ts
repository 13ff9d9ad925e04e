/** The user name and password of HTTP Basic authentication. */
export interface BasicCredentials {
  readonly keyId: string;
  readonly secret: string;
}

/** Parses an `Authorization: Basic …` header (RFC 7617). Returns `undefined` for any other value. */
export function parseBasicCredentials(header: string | undefined): BasicCredentials | undefined {
  if (header === undefined || header.length > 2048) return undefined;
  const match = /^basic +([A-Za-z0-9+/=_-]+) *$/i.exec(header);
  if (!match?.[1]) return undefined;
  const text = Buffer.from(match[1], 'base64').toString('utf8');
  const colon = text.indexOf(':');
  return colon === -1 ? undefined : { keyId: text.slice(0, colon), secret: text.slice(colon + 1) };
}
