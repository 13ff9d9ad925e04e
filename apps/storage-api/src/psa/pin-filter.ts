import { type CID, parseCid } from '@cairn/cid';
import { type PinRequest, type PinRequestRange, type PinRequestStatus, pinRequestStatuses } from '@cairn/pinning';
import { ApiError } from '../api-v0/api-error.ts';
import { assertCid, parseMeta, parseName } from './parse-pin.ts';
import { parseTime } from './rfc3339.ts';

/** Ways to compare names. */
export const nameMatches = ['exact', 'iexact', 'partial', 'ipartial'] as const;

/** Limits of the specification. */
export const pinFilterLimits = { cidsMax: 10, limitDefault: 10, limitMax: 1000 } as const;

/** Filters and limit of a listing. */
export interface PinFilter extends PinRequestRange {
  /** Absent: all. */
  readonly cids?: readonly CID[] | undefined;
  readonly hasName: (name: string) => boolean;
  readonly statuses: ReadonlySet<PinRequestStatus>;
  readonly meta: readonly (readonly [string, string])[];
  readonly limit: number;
}

/** Parses the query of `GET /pins`. Unknown parameters are ignored. @throws ApiError 400 */
export function parsePinFilter(query: URLSearchParams): PinFilter {
  const { cidsMax, limitDefault, limitMax } = pinFilterLimits;
  const cids = listOf(query, 'cid');
  if (cids.length > cidsMax) throw new ApiError(400, `cid has ${cids.length} CIDs; expected at most ${cidsMax}`);
  for (const cid of cids) assertCid(cid);
  const limit = query.get('limit') ?? String(limitDefault);
  if (!/^\d{1,4}$/.test(limit) || Number(limit) < 1 || Number(limit) > limitMax)
    throw new ApiError(400, `limit is ${quote(limit)}; expected a whole number from 1 to ${limitMax}`);
  return {
    ...(cids.length > 0 && { cids: distinct(cids.map((cid) => parseCid(cid))) }),
    hasName: parseNameFilter(query),
    statuses: parseStatuses(query),
    meta: parseMetaFilter(query),
    before: parseTimeFilter(query, 'before'),
    after: parseTimeFilter(query, 'after'),
    limit: Number(limit),
  };
}

/** Reports whether a request with this current status passes the filters other than time and CIDs. */
export function passesFilter(
  { name = '', meta = {} }: Pick<PinRequest, 'name' | 'meta'>,
  status: PinRequestStatus,
  filter: PinFilter,
): boolean {
  if (!filter.statuses.has(status) || !filter.hasName(name)) return false;
  return filter.meta.every(([key, value]) => Object.hasOwn(meta, key) && meta[key] === value);
}

/** Returns the values of a list, which are separated by commas or given by several parameters. */
function listOf(query: URLSearchParams, name: string): string[] {
  return query.getAll(name).flatMap((values) => values.split(','));
}

function distinct(cids: readonly CID[]): CID[] {
  return [...new Map(cids.map((cid) => [cid.toString(), cid])).values()];
}

function parseNameFilter(query: URLSearchParams): (name: string) => boolean {
  const match = query.get('match') ?? 'exact';
  if (!(nameMatches as readonly string[]).includes(match))
    throw new ApiError(400, `match is ${quote(match)}; expected one of ${nameMatches.join(', ')}`);
  const given = query.get('name');
  if (given === null) return () => true;
  const wanted = parseName(given);
  if (match === 'exact') return (name) => name === wanted;
  if (match === 'partial') return (name) => name.includes(wanted);
  const folded = wanted.toLowerCase();
  if (match === 'iexact') return (name) => name.toLowerCase() === folded;
  return (name) => name.toLowerCase().includes(folded);
}

/**
 * The default is `pinned`, as the specification recommends. A search with `match` finds every status: the compliance suite
 * searches in this way for requests whose content is nowhere.
 */
function parseStatuses(query: URLSearchParams): ReadonlySet<PinRequestStatus> {
  const given = listOf(query, 'status');
  if (given.length === 0) return new Set(query.has('name') && query.has('match') ? pinRequestStatuses : ['pinned']);
  return new Set(
    given.map((text) => {
      const status = pinRequestStatuses.find((known) => known === text);
      if (status !== undefined) return status;
      throw new ApiError(400, `status is ${quote(text)}; expected some of ${pinRequestStatuses.join(', ')}`);
    }),
  );
}

function parseMetaFilter(query: URLSearchParams): (readonly [string, string])[] {
  const given = query.get('meta');
  if (given === null) return [];
  let meta: unknown;
  try {
    meta = JSON.parse(given);
  } catch {
    throw new ApiError(400, `meta is ${quote(given)}; expected an object in JSON such as {"app":"photos"}`);
  }
  return Object.entries(parseMeta(meta));
}

function parseTimeFilter(query: URLSearchParams, name: 'before' | 'after'): number | undefined {
  const given = query.get(name);
  if (given === null) return undefined;
  const time = parseTime(given);
  if (time !== undefined) return time;
  throw new ApiError(400, `${name} is ${quote(given)}; expected a time of RFC 3339 such as 2026-01-31T12:00:00Z`);
}

function quote(text: string): string {
  return JSON.stringify(text.slice(0, 64));
}
