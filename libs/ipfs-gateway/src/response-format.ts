import { GatewayError } from './errors.ts';

/** Formats that a request can ask for, by their names in the query. */
export const mediaTypes = {
  raw: 'application/vnd.ipld.raw',
  car: 'application/vnd.ipld.car',
  tar: 'application/x-tar',
  'dag-json': 'application/vnd.ipld.dag-json',
  'dag-cbor': 'application/vnd.ipld.dag-cbor',
  json: 'application/json',
  cbor: 'application/cbor',
  'ipns-record': 'application/vnd.ipfs.ipns-record',
} as const;

export type Format = keyof typeof mediaTypes;

export interface RequestedFormat {
  /** Absent: what the content is. */
  readonly format?: Format;
  /** Parameters of the media type in the Accept field. */
  readonly params: ReadonlyMap<string, string>;
  /** True if only the Accept field names it, so that caches need a location of their own. */
  readonly isNegotiated: boolean;
}

interface Accepted {
  readonly format: Format;
  readonly params: ReadonlyMap<string, string>;
}

/**
 * Returns the format of a request: the query has precedence over the Accept field, whose first known type counts.
 * @throws GatewayError 400 for a type of IPLD that is not known
 */
export function requestedFormat(query: URLSearchParams, accept: string): RequestedFormat {
  const items = accept.split(',', 64).filter((item) => !isRefused(item));
  const accepted = items.map(parseAccepted).filter(isKnown);
  const name = query.get('format');
  const unknown = accepted.length > 0 ? undefined : /\bapplication\/vnd\.ipld[^;,\s]*/i.exec(items.join())?.[0];
  if (unknown !== undefined && (name === null || !isFormat(name)))
    throw new GatewayError(400, `unsupported response format ${JSON.stringify(unknown)}`);
  if (name !== null && isFormat(name)) {
    const params = accepted.find(({ format }) => format === name)?.params ?? new Map<string, string>();
    return { format: name, params, isNegotiated: false };
  }
  const [first] = accepted;
  return first === undefined ? { params: new Map(), isNegotiated: false } : { ...first, isNegotiated: true };
}

function isFormat(name: string): name is Format {
  return Object.hasOwn(mediaTypes, name);
}

/** Reports whether a type has the weight 0: the client does not accept it (RFC 9110, 12.4.2). */
function isRefused(item: string): boolean {
  return /;\s*q=0(?:\.0{0,3})?\s*(?:;|$)/i.test(item);
}

function isKnown(accepted: Accepted | undefined): accepted is Accepted {
  return accepted !== undefined;
}

function parseAccepted(item: string): Accepted | undefined {
  const [type = '', ...rest] = item.split(';').map((part) => part.trim());
  const format = (Object.keys(mediaTypes) as Format[]).find((name) => mediaTypes[name] === type.toLowerCase());
  if (format === undefined) return undefined;
  const pairs = rest.map((part): [string, string] => {
    const [key = '', value = ''] = part.split('=');
    return [key.trim().toLowerCase(), value.trim().replace(/^"(.*)"$/, '$1')];
  });
  return { format, params: new Map(pairs.filter(([key]) => key !== 'q')) };
}
