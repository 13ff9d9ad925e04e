import type { IncomingMessage } from 'node:http';

/** Rewrites a target in absolute form, which every server has to accept, as a path and the field Host (RFC 9112, section 3.2.2). */
export function useOriginForm(request: Pick<IncomingMessage, 'url' | 'headers'>): void {
  if (request.url?.startsWith('/')) return;
  const [, authority, rest = ''] = /^https?:\/\/([^/?#]*)(.*)$/i.exec(request.url ?? '') ?? [];
  if (authority === undefined) return;
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  request.headers.host = authority;
}
