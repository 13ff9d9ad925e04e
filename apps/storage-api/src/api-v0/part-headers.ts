import type { UnixfsMetadata } from '@cairn/unixfs';
import { ApiError } from './api-error.ts';

/** What the headers of a part say. */
export interface PartHeaders {
  /** Name of the form field, without what clients append to it. */
  readonly name: string;
  /** Path of the file; empty where there is none. */
  readonly filename: string;
  /** In lower case, without parameters. */
  readonly contentType: string;
  /** Mode and time of a file, which clients of Kubo append to the field name: `file?mode=0644&mtime=1700000000`. */
  readonly metadata: UnixfsMetadata;
}

/** Reads the headers of a part. @throws ApiError 400 for mode or time that is none */
export function parsePartHeaders(text: string): PartHeaders {
  const headers = new Map<string, string>();
  for (const line of text.split('\r\n')) {
    const at = line.indexOf(':');
    if (at > 0) headers.set(line.slice(0, at).trim().toLowerCase(), line.slice(at + 1).trim());
  }
  const disposition = parametersOf(headers.get('content-disposition') ?? '');
  const field = disposition.get('name') ?? '';
  const query = field.indexOf('?');
  return {
    name: query === -1 ? field : field.slice(0, query),
    filename: decodeName(extended(disposition.get('filename*')) ?? disposition.get('filename') ?? ''),
    contentType: (headers.get('content-type') ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? '',
    metadata: query === -1 ? {} : metadataOf(new URLSearchParams(field.slice(query + 1))),
  };
}

function parametersOf(value: string): ReadonlyMap<string, string> {
  const parameters = new Map<string, string>();
  for (const [, name = '', given = ''] of value.matchAll(/;\s*([^=;\s]+)\s*=\s*("(?:[^"\\]|\\.)*"|[^;]*)/g)) {
    const text = given.startsWith('"') ? given.slice(1, -1).replace(/\\(["\\])/g, '$1') : given.trim();
    parameters.set(name.toLowerCase(), text);
  }
  return parameters;
}

/** The value of `filename*` (RFC 8187), still percent-encoded. */
function extended(value: string | undefined): string | undefined {
  return /^utf-8'[^']*'(.*)$/i.exec(value ?? '')?.[1];
}

/** Clients percent-encode file names, as Kubo expects; a name that only looks so is kept. */
function decodeName(filename: string): string {
  try {
    return decodeURIComponent(filename);
  } catch {
    return filename;
  }
}

/** Mode (octal), `mtime` (seconds) and `mtime-nsecs` of a query. @throws ApiError 400 */
export function metadataOf(query: URLSearchParams): UnixfsMetadata {
  const mode = query.get('mode');
  const seconds = query.get('mtime');
  const nanoseconds = query.get('mtime-nsecs');
  if (mode !== null && !/^[0-7]{1,7}$/.test(mode)) throw invalid('mode', mode, 'octal digits such as 0644');
  if (seconds !== null && !/^-?\d{1,15}$/.test(seconds)) throw invalid('mtime', seconds, 'seconds since 1970');
  if (nanoseconds !== null && !/^\d{1,9}$/.test(nanoseconds))
    throw invalid('mtime-nsecs', nanoseconds, '0 to 999999999');
  if (nanoseconds !== null && seconds === null) throw new ApiError(400, 'option "mtime-nsecs" needs option "mtime"');
  return {
    // Go sends type bits above the permissions for directories and links; UnixFS keeps the low twelve.
    ...(mode !== null && { mode: Number.parseInt(mode, 8) & 0o7777 }),
    ...(seconds !== null && {
      mtime: { seconds: Number(seconds), ...(nanoseconds !== null && { nanoseconds: Number(nanoseconds) }) },
    }),
  };
}

function invalid(name: string, given: string, expected: string): ApiError {
  return new ApiError(
    400,
    `invalid value ${JSON.stringify(given.slice(0, 64))} for option "${name}": expected ${expected}`,
  );
}
