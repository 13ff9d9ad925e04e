import { UpstreamError } from './errors.ts';
import { createRedactor, type Redactor } from './redact.ts';

/** URL of an upstream with its credentials set apart. */
export interface UpstreamAddress {
  /** Host and port. The only part that may appear in logs, metrics and errors. */
  readonly name: string;
  readonly scheme: 'http' | 'ws';
  /** URL without user and password. The path may contain a key. */
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly redactor: Redactor;
}

/**
 * Parses the URL of an upstream.
 * @throws UPSTREAM_CONFIG_INVALID without the URL in its message
 */
export function parseUpstreamUrl(text: string): UpstreamAddress {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  if (parsed === undefined || !/^(https?|wss?):$/.test(parsed.protocol))
    throw new UpstreamError('UPSTREAM_CONFIG_INVALID', 'An upstream URL is not valid.', {
      hint: 'Expected http, https, ws or wss.',
    });
  const redactor = createRedactor(parsed);
  const headers: Record<string, string> = {};
  if (parsed.username !== '' || parsed.password !== '') {
    const credentials = `${decodeURIComponent(parsed.username)}:${decodeURIComponent(parsed.password)}`;
    headers.authorization = `Basic ${Buffer.from(credentials).toString('base64')}`;
    parsed.username = '';
    parsed.password = '';
  }
  const scheme = parsed.protocol.startsWith('ws') ? 'ws' : 'http';
  return { name: parsed.host, scheme, url: parsed.href, headers, redactor };
}
