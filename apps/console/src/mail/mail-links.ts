import type { Request } from 'express';
import type { ConsoleSettings } from '../settings.ts';

/** Link of a mail. The token is in the fragment, which browsers send to no server, so logs do not contain it. */
export function mailLink(
  settings: PublicSettings,
  request: Pick<Request, 'headers'>,
  { path, token }: { readonly path: string; readonly token: string },
): string {
  return `${publicUrl(settings, request)}/${path}#${token}`;
}

type PublicSettings = Pick<ConsoleSettings, 'CAIRN_PUBLIC_CONSOLE_URL' | 'tls'>;

/**
 * Address of the console for browsers, without a slash at the end. Without CAIRN_PUBLIC_CONSOLE_URL the host of the request
 * is used, which WebPages has verified.
 */
export function publicUrl(
  { CAIRN_PUBLIC_CONSOLE_URL: url, tls }: PublicSettings,
  { headers }: Pick<Request, 'headers'>,
): string {
  return url?.replace(/\/+$/, '') ?? `${tls === undefined ? 'http' : 'https'}://${headers.host}`;
}
