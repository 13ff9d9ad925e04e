import { escapePath } from './request-target.ts';

/** Formats a Content-Disposition field (RFC 6266) with a name for old and for current clients. */
export function contentDisposition(kind: 'inline' | 'attachment', name: string): string {
  const ascii = escapeName(name.replace(/[^\x20-\x7e]/gu, '_'));
  return `${kind}; filename="${ascii}"; filename*=UTF-8''${escapeName(name)}`;
}

/** Percent-encodes a name as Go's `url.PathEscape` does: unlike in a path, also the marks that separate names. */
function escapeName(name: string): string {
  return escapePath(name).replace(/[/;,]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);
}
