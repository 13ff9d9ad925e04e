import { type Hex, InvalidValueError, parseAddress } from '@cairn/block-model';
import type { RecordFilter } from '@cairn/evm-executor';
import type { ParamDefinition } from '@cairn/jsonrpc-core';
import { type BlockId, isPending, parseBlockNumberOrTag } from '../../block-id.ts';
import { paramSchemas } from '../../param-schemas.ts';

/** Most blocks and records of one request, and most addresses of a list. */
export const filterLimits = { blocksMax: 1_000n, recordsMax: 10_000, addressesMax: 1_000 } as const;

/** Parameter of trace_filter. */
export interface TraceFilter extends Pick<RecordFilter, 'from' | 'to' | 'mode'> {
  readonly fromBlock: BlockId;
  readonly toBlock: BlockId;
  /** Matching records to leave out. */
  readonly after: number;
  /** Records to return; `undefined` for all. */
  readonly count: number | undefined;
}

const known = ['fromBlock', 'toBlock', 'fromAddress', 'toAddress', 'mode', 'after', 'count'];
const expected = `an object with ${known.join(', ')}, all optional`;

export const filterParam = {
  name: 'filter',
  summary:
    'fromBlock, toBlock (default: latest); fromAddress, toAddress (lists of addresses); mode ("union", the default: records that match either list, or "intersection"); after (matching records to leave out), count (records to return).',
  schema: paramSchemas.object,
  parse: parseTraceFilter,
} satisfies ParamDefinition<TraceFilter>;

/** @throws VALUE_INVALID, also for unknown members: a misspelled one would widen the search */
function parseTraceFilter(field: string, value: unknown): TraceFilter {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidValueError(field, expected, value);
  const unknown = Object.keys(value).find((name) => !known.includes(name));
  if (unknown !== undefined) throw new InvalidValueError(field, expected, unknown);
  const members = value as Readonly<Record<string, unknown>>;
  const optional = <T>(name: string, parse: (field: string, value: unknown) => T): T | undefined => {
    const member = members[name];
    return member === undefined || member === null ? undefined : parse(`${field}.${name}`, member);
  };
  return {
    fromBlock: optional('fromBlock', parseBound) ?? { tag: 'latest' },
    toBlock: optional('toBlock', parseBound) ?? { tag: 'latest' },
    from: optional('fromAddress', parseAddresses) ?? [],
    to: optional('toAddress', parseAddresses) ?? [],
    mode: optional('mode', parseMode) ?? 'union',
    after: optional('after', parseCount) ?? 0,
    count: optional('count', parseCount),
  };
}

function parseBound(field: string, value: unknown): BlockId {
  // Erigon and Reth take decimal numbers as well.
  const isWhole = typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
  const id: BlockId = isWhole ? { number: BigInt(value) } : parseBlockNumberOrTag(field, value);
  if (isPending(id)) throw new InvalidValueError(field, 'a block of the chain, such as latest', value);
  return id;
}

function parseAddresses(field: string, value: unknown): readonly Hex[] {
  if (!Array.isArray(value)) throw new InvalidValueError(field, 'a list of addresses', value);
  const { addressesMax } = filterLimits;
  if (value.length > addressesMax)
    throw new InvalidValueError(field, `at most ${addressesMax} addresses`, value.length);
  return value.map((item: unknown, index) => parseAddress(`${field}[${index}]`, item));
}

function parseMode(field: string, value: unknown): TraceFilter['mode'] {
  if (value === 'union' || value === 'intersection') return value;
  throw new InvalidValueError(field, '"union" or "intersection"', value);
}

function parseCount(field: string, value: unknown): number {
  if (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0) return value;
  // Some clients send hexadecimal text, as for other quantities.
  if (typeof value === 'string' && /^0x[0-9a-fA-F]{1,13}$/.test(value)) return Number(value);
  throw new InvalidValueError(field, 'a whole number that is not negative', value);
}
