/** The head of a request that needs nothing of HTTP but its path and fields. */
export interface FastHead {
  readonly path: string;
  /** By names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** Bytes. */
  readonly contentLength: number;
}

const requestLine = /^POST (\/[\x21-\x7e]*) HTTP\/1\.1$/;
/** RFC 9110, section 5.5, without what a parser may read in more than one way. */
const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\t\x20-\x7e\x80-\xff]*)$/;
const fieldsMax = 64;

/** Fields that change how a message is framed or carried, and what browsers of other origins send. */
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

/**
 * Reads a head (RFC 9112) that says one thing only, whoever reads it: a POST with a length, no field twice, no field that
 * changes the framing. `undefined` for any other, also for what is wrong: a full parser decides about those.
 * @param head the text before the empty line, one character a byte
 */
export function parsePlainHead(head: string): FastHead | undefined {
  const [first = '', ...lines] = head.split('\r\n');
  const path = requestLine.exec(first)?.[1];
  if (path === undefined || lines.length > fieldsMax) return undefined;
  const headers: Record<string, string> = Object.create(null);
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
