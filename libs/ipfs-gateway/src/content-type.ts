import mime from 'mime';

/** Media type of a symlink: its target is served as text. */
export const symlinkType = 'inode/symlink';

/** Media type of bytes that show no other one. */
export const unknownType = 'application/octet-stream';

/** First bytes of formats, of https://mimesniff.spec.whatwg.org/#matching-a-mime-type-pattern and the formats themselves. */
const signatures: readonly (readonly [type: string, offset: number, bytes: string])[] = [
  ['image/png', 0, '\x89PNG\r\n\x1a\n'],
  ['image/jpeg', 0, '\xff\xd8\xff'],
  ['image/gif', 0, 'GIF8'],
  ['image/webp', 8, 'WEBP'],
  ['image/bmp', 0, 'BM'],
  ['image/avif', 4, 'ftypavif'],
  ['image/x-icon', 0, '\0\0\x01\0'],
  ['audio/wave', 8, 'WAVE'],
  ['video/x-msvideo', 8, 'AVI '],
  ['audio/mpeg', 0, 'ID3'],
  ['audio/mpeg', 0, '\xff\xfb'],
  ['audio/flac', 0, 'fLaC'],
  ['application/ogg', 0, 'OggS\0'],
  ['video/webm', 0, '\x1a\x45\xdf\xa3'],
  ['video/mp4', 4, 'ftyp'],
  ['application/pdf', 0, '%PDF-'],
  ['application/postscript', 0, '%!PS-Adobe-'],
  ['application/zip', 0, 'PK\x03\x04'],
  ['application/gzip', 0, '\x1f\x8b\x08'],
  ['application/zstd', 0, '\x28\xb5\x2f\xfd'],
  ['application/x-7z-compressed', 0, '7z\xbc\xaf\x27\x1c'],
  ['application/x-tar', 257, 'ustar'],
  ['application/wasm', 0, '\0asm'],
  ['font/woff', 0, 'wOFF'],
  ['font/woff2', 0, 'wOF2'],
];

const markup: readonly (readonly [type: string, pattern: RegExp])[] = [
  ['text/html', /^<(?:!doctype html|html|head|script|iframe|h1|div|font|table|a|style|title|b|body|br|p|!--)[\s>]/i],
  ['image/svg+xml', /^(?:<\?xml[^>]*>\s*)?(?:<!--.*?-->\s*)?<svg[\s>]/is],
  ['text/xml; charset=utf-8', /^<\?xml/i],
];

/** Returns the media type of a file name, or undefined for a name without a known extension. */
export function contentTypeOfName(name: string): string | undefined {
  const named = /\.[^./]+$/.test(name) ? mime.getType(name) : null;
  if (named === null) return undefined;
  if (named === 'application/xml') return 'text/xml; charset=utf-8';
  return named.startsWith('text/') && named !== 'text/html' ? `${named}; charset=utf-8` : named;
}

/** Returns the media type of a file by its first bytes. */
export function contentTypeOf(head: Uint8Array, isWhole: boolean): string {
  if (head.length === 0) return 'text/plain';
  const latin = Buffer.from(head).toString('latin1');
  const known = signatures.find(([, offset, bytes]) => latin.startsWith(bytes, offset));
  if (known !== undefined) return known[0];
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these bytes occur in no text (WHATWG, binary data byte).
  if (/[\x00-\x08\x0b\x0e-\x1a\x1c-\x1f]/.test(latin)) return unknownType;
  const text = latin.replace(/^\xef\xbb\xbf/, '').trimStart();
  const marked = markup.find(([, pattern]) => pattern.test(text));
  if (marked !== undefined) return marked[0];
  return isWhole && isJson(text) ? 'application/json' : 'text/plain; charset=utf-8';
}

function isJson(text: string): boolean {
  if (!/^[[{]/.test(text)) return false;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
