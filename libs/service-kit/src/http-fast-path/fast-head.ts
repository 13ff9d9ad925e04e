/** Head of a request that uses nothing of HTTP but path and fields. */
export interface FastHead {
  readonly path: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** In bytes. */
  readonly contentLength: number;
}

const requestLine = /^POST (\/[\x21-\x7e]*) HTTP\/1\.1$/;
/** RFC 9110, section 5.5, without characters that parsers read in different ways. */
const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/;
const fieldsMax = 64;

/** Fields that change how a message is framed or carried, and fields that browsers send for other origins. */
const special = new Set([
  'content-encoding',
  'expect',
  'http2-settings',
  'keep-alive',
  'origin',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Object without inherited names. Its properties are found faster than those of an object without a prototype. */
const Fields = function Fields() {} as unknown as new () => Record<string, string>;
Fields.prototype = Object.create(null);

/**
 * Parses a head (RFC 9112) that every parser reads in the same way: a POST with a length, no repeated field, no
 * field that changes the framing. Returns `undefined` for any other, also for invalid ones: the full parser decides
 * about those.
 * @param head the text before the empty line, one character per byte
 */
export function parsePlainHead(head: string): FastHead | undefined {
  const [first = '', ...lines] = head.split('\r\n');
  const path = requestLine.exec(first)?.[1];
  if (path === undefined || lines.length > fieldsMax) return undefined;
  const headers = new Fields();
  for (const line of lines) {
    const [, name, value] = field.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    const key = name.toLowerCase();
    if (special.has(key) || key in headers) return undefined;
    headers[key] = value.trimEnd();
  }
  const { host, connection, 'content-length': length } = headers;
  if (host === undefined || length === undefined || !/^\d{1,9}$/.test(length)) return undefined;
  if (connection !== undefined && connection.toLowerCase() !== 'keep-alive') return undefined;
  return { path, headers, contentLength: Number(length) };
}
