import { type BasicCredentials, parseBasicCredentials } from './basic-credentials.ts';

/**
 * Parses an `Authorization: Bearer …` header (RFC 6750) whose token is `KEY:SECRET`, or the same in Base64. Returns `undefined`
 * for any other value.
 */
export function parseBearerCredentials(header: string | undefined): BasicCredentials | undefined {
  if (header === undefined || header.length > 2048) return undefined;
  const token = /^bearer +([\x21-\x7e]+) *$/i.exec(header)?.[1];
  if (token === undefined) return undefined;
  const colon = token.indexOf(':');
  if (colon === -1) return parseBasicCredentials(`Basic ${token}`);
  return { keyId: token.slice(0, colon), secret: token.slice(colon + 1) };
}
