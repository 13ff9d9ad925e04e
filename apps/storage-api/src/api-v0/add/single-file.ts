// Hot path of small uploads: tools/bench/peers.mjs, row `add 4 KiB`. single-file.spec.ts compares it with readParts.
import { boundaryOf } from '../multipart.ts';
import { type PartHeaders, parsePartHeaders } from '../part-headers.ts';

/** A file of one part with a plain name. */
export interface SingleFile {
  readonly name: string;
  /** A view of the body. */
  readonly bytes: Buffer;
}

const fileBytesMax = 64 * 1024;
const headerBytesMax = 1024;
const dashes = Buffer.from('--');
const crlf = Buffer.from('\r\n');
const endOfHeaders = Buffer.from('\r\n\r\n');
const otherTypes: readonly string[] = ['application/x-directory', 'application/symlink', 'multipart/form-data'];

/** Delimiter before a part, and the content type that names it. */
interface Delimiter {
  readonly contentType: string;
  /** Line break, dashes and boundary. */
  readonly bytes: Buffer;
}

/** Most requests of a client repeat the boundary and the headers of the last one. */
let lastDelimiter: Delimiter | undefined;
let lastName: { readonly headers: string; readonly name: string | undefined } | undefined;

/**
 * Returns the file of a complete multipart body with one part, without copying it. Returns `undefined` for any other body, also
 * an invalid one, and for a part with metadata, without a name, or in a directory.
 */
export function singleFileOf(body: Buffer, contentType: string | undefined): SingleFile | undefined {
  if (contentType === undefined || body.length > fileBytesMax + 2 * headerBytesMax) return undefined;
  try {
    const delimiter = delimiterOf(contentType);
    const start = delimiter.length - crlf.length;
    if (body.compare(delimiter, crlf.length, delimiter.length, 0, start) !== 0 || !isAt(body, start, crlf))
      return undefined;
    const end = body.indexOf(endOfHeaders, start);
    if (end === -1 || end - start > headerBytesMax) return undefined;
    // The empty line may follow the boundary: a part without headers.
    const headers = end === start ? '' : body.toString('utf8', start + crlf.length, end);
    const first = end + endOfHeaders.length;
    const last = body.indexOf(delimiter, first);
    if (last === -1 || !isClosed(body, last + delimiter.length)) return undefined;
    const name = nameIn(headers);
    return name === undefined ? undefined : { name, bytes: body.subarray(first, last) };
  } catch {
    return undefined;
  }
}

function delimiterOf(contentType: string): Buffer {
  if (lastDelimiter?.contentType !== contentType) {
    const boundary = boundaryOf({ headers: { 'content-type': contentType } }, 'path');
    lastDelimiter = { contentType, bytes: Buffer.concat([crlf, dashes, boundary]) };
  }
  return lastDelimiter.bytes;
}

function nameIn(headers: string): string | undefined {
  if (lastName?.headers !== headers) lastName = { headers, name: plainName(parsePartHeaders(headers)) };
  return lastName.name;
}

/** Reports whether the rest of a body is the end of its last boundary. */
function isClosed(body: Buffer, at: number): boolean {
  const end = at + dashes.length;
  return (
    isAt(body, at, dashes) && (body.length === end || (body.length === end + crlf.length && isAt(body, end, crlf)))
  );
}

function plainName({ filename, contentType, isQuotedPrintable, metadata }: PartHeaders): string | undefined {
  if (isQuotedPrintable || metadata.fileMode !== 0 || metadata.mtime !== undefined || otherTypes.includes(contentType))
    return undefined;
  return filename === '' || filename.includes('/') ? undefined : filename;
}

function isAt(body: Buffer, at: number, bytes: Buffer): boolean {
  return body.length >= at + bytes.length && body.compare(bytes, 0, bytes.length, at, at + bytes.length) === 0;
}
