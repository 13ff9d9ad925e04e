import {
  type Hex,
  InvalidValueError,
  type Log,
  type LogCondition,
  type LogField,
  parseAddress,
  parseHash,
} from '@cairn/block-model';
import { RpcError } from '@cairn/jsonrpc-core';
import { type BlockId, parseBlockNumberOrTag } from '../../block-param.ts';

/** Which logs are wanted (execution-apis, Filter). */
export interface LogFilter {
  readonly blocks: { readonly hash: Hex } | { readonly from: BlockId; readonly to: BlockId };
  /** Any of these; every address where there is none. */
  readonly addresses: readonly Hex[];
  /** For each place any of these; every topic where there is none. */
  readonly topics: readonly (readonly Hex[])[];
}

const addressesMax = 1000;
const topicsPerPlaceMax = 1000;
const placesMax = 4;

/** @throws VALUE_INVALID, RpcError -32602 in geth's words */
export function parseLogFilter(field: string, value: unknown): LogFilter {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new InvalidValueError(field, 'an object with address, topics, and blockHash or fromBlock and toBlock', value);
  const { address, topics, blockHash, fromBlock, toBlock } = value as Readonly<Record<string, unknown>>;
  const isGiven = (item: unknown) => item !== undefined && item !== null;
  if (isGiven(blockHash) && (isGiven(fromBlock) || isGiven(toBlock)))
    throw new RpcError('params', "can't specify fromBlock/toBlock with blockHash");
  return {
    blocks: isGiven(blockHash)
      ? { hash: parseHash(`${field}.blockHash`, blockHash) }
      : {
          from: isGiven(fromBlock) ? parseBlockNumberOrTag(`${field}.fromBlock`, fromBlock) : { tag: 'latest' },
          to: isGiven(toBlock) ? parseBlockNumberOrTag(`${field}.toBlock`, toBlock) : { tag: 'latest' },
        },
    addresses: isGiven(address) ? parseAny(`${field}.address`, address, addressesMax, parseAddress) : [],
    topics: isGiven(topics) ? parseTopics(`${field}.topics`, topics) : [],
  };
}

function parseTopics(field: string, value: unknown): (readonly Hex[])[] {
  if (!Array.isArray(value)) throw new InvalidValueError(field, 'a list of topics, or of lists of them', value);
  if (value.length > placesMax) throw new RpcError('params', 'exceed max topics');
  return value.map((place, index) => {
    const at = `${field}[${index}]`;
    if (place === null) return [];
    const any = parseAny(at, place, topicsPerPlaceMax, (name, item) =>
      item === null ? undefined : parseHash(name, item),
    );
    // null among them stands for every topic.
    return any.includes(undefined) ? [] : (any as Hex[]);
  });
}

/** One, or a list of them. */
function parseAny<T>(
  field: string,
  value: unknown,
  lengthMax: number,
  parse: (field: string, value: unknown) => T,
): T[] {
  if (!Array.isArray(value)) return [parse(field, value)];
  if (value.length > lengthMax) throw new InvalidValueError(field, `a list of ${lengthMax} at most`, value.length);
  return value.map((item, index) => parse(`${field}[${index}]`, item));
}

/** Whether a log is wanted. */
export function matches({ addresses, topics }: LogFilter, log: Log): boolean {
  if (addresses.length > 0 && !addresses.includes(log.address)) return false;
  if (topics.length > log.topics.length) return false;
  return topics.every((any, place) => any.length === 0 || any.includes(log.topics[place] ?? '0x'));
}

/** What blocks must have that can have such logs, for the index. */
export function conditionsOf({ addresses, topics }: LogFilter): LogCondition[] {
  const byTopic = topics.map((values, place): LogCondition => ({ field: place as LogField, values }));
  return [{ field: 'address' as const, values: addresses }, ...byTopic].filter(({ values }) => values.length > 0);
}
