import { posix } from 'node:path';
import { ApiError } from './api-error.ts';
import { type PartMetadata, parsePartMetadata } from './part-metadata.ts';

/** Parsed headers of a part. */
export interface PartHeaders {
  /** Name of the form field, without the metadata that clients append to it. */
  readonly name: string;
  /** Path of the file without slashes around it and without relative names; empty where there is none. */
  readonly filename: string;
  /** In lower case, without parameters. */
  readonly contentType: string;
  /** Content is in the encoding quoted-printable. Other encodings are ignored, as in Kubo. */
  readonly isQuotedPrintable: boolean;
  readonly metadata: PartMetadata;
}

/**
 * Parses the headers of a part.
 * @throws ApiError 400 for a file name that is not UTF-8 or has a NUL character, and for a time out of range
 */
export function parsePartHeaders(text: string): PartHeaders {
  const headers = headerFields(text);
  const disposition = parametersOf(headers.get('content-disposition') ?? '');
  const field = disposition.get('name') ?? '';
  const query = field.indexOf('?');
  return {
    name: query === -1 ? field : field.slice(0, query),
    filename: cleanPath(decodeName(extended(disposition.get('filename*')) ?? disposition.get('filename') ?? '')),
    contentType: mediaType(headers.get('content-type') ?? ''),
    isQuotedPrintable: headers.get('content-transfer-encoding')?.toLowerCase() === 'quoted-printable',
    metadata: query === -1 ? { fileMode: 0 } : parsePartMetadata(field.slice(query + 1)),
  };
}

/** Returns the first field of each name. A line that begins with white space continues the one before it (RFC 822). */
function headerFields(text: string): ReadonlyMap<string, string> {
  const fields = new Map<string, string>();
  for (const line of text.replace(/\r?\n[ \t]+/g, ' ').split(/\r?\n/)) {
    const at = line.indexOf(':');
    const name = line.slice(0, Math.max(at, 0)).trim().toLowerCase();
    if (name !== '' && !fields.has(name)) fields.set(name, line.slice(at + 1).trim());
  }
  return fields;
}

const token = "[\\w!#$%&'*+.^`|~-]+";
const mediaTypeForm = new RegExp(
  `^(${token}(?:/${token})?)\\s*(?:;\\s*(?:${token}\\s*=\\s*(?:${token}|"(?:[^"\\\\]|\\\\.)*")\\s*)?)*$`,
);

/**
 * Returns the media type in lower case, without parameters; empty where there is none.
 * @throws ApiError 400 for types that Go refuses too
 */
function mediaType(value: string): string {
  if (value === '') return '';
  const [, type] = mediaTypeForm.exec(value) ?? [];
  if (type === undefined) throw new ApiError(400, `mime: invalid media type ${JSON.stringify(value.slice(0, 100))}`);
  return type.toLowerCase();
}

function parametersOf(value: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = '', given = ''] of value.matchAll(/;\s*([^=;\s]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)/g)) {
    const text = given.startsWith('"') ? given.slice(1, -1).replace(/\\(["\\])/g, '$1') : given.trim();
    parameters.set(name.toLowerCase(), text);
  }
  return parameters;
}

/** Value of `filename*` (RFC 8187), still percent-encoded. */
function extended(value: string | undefined): string | undefined {
  return /^utf-8'[^']*'(.*)$/i.exec(value ?? '')?.[1];
}

/**
 * Decodes a file name, which clients escape as in a query. As in Kubo, one with an invalid escape is unchanged.
 * @throws ApiError 400
 */
function decodeName(filename: string): string {
  if (/%(?![\da-f]{2})/i.test(filename)) return filename;
  try {
    return decodeURIComponent(filename.replaceAll('+', ' '));
  } catch {
    throw new ApiError(
      400,
      `the file name ${JSON.stringify(filename.slice(0, 100))} is not UTF-8; escape its characters as UTF-8`,
    );
  }
}

function cleanPath(path: string): string {
  if (path.includes('\0')) {
    const name = JSON.stringify(path.slice(0, 100));
    throw new ApiError(400, `the file name ${name} has a NUL character, which no file system takes; rename the file`);
  }
  return posix.normalize(`/${path}`).replace(/^\/+|\/+$/g, '');
}
