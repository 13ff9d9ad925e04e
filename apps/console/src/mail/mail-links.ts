import type { Request } from 'express';
import type { ConsoleSettings } from '../settings.ts';

/**
 * Link of a mail. The token is in the fragment, which browsers send to no server, so logs do not contain it.
 * Without CAIRN_PUBLIC_CONSOLE_URL the host of the request is used, which WebPages has verified.
 */
export function mailLink(
  { CAIRN_PUBLIC_CONSOLE_URL: url, tls }: Pick<ConsoleSettings, 'CAIRN_PUBLIC_CONSOLE_URL' | 'tls'>,
  { headers }: Pick<Request, 'headers'>,
  { path, token }: { readonly path: string; readonly token: string },
): string {
  const base = url?.replace(/\/+$/, '') ?? `${tls === undefined ? 'http' : 'https'}://${headers.host}`;
  return `${base}/${path}#${token}`;
}
