import { bytesFromHex, type Hex, InvalidValueError, type Log, parseAddress, parseHash } from '@cairn/block-model';
import { keccak256 } from '@cairn/cid';
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

/** Looks at the filters of headers: false where a block has no such log for certain (Yellow Paper, section 4.3.1). */
export function bloomTest({ addresses, topics }: LogFilter): (logsBloom: Hex) => boolean {
  const groups = [addresses, ...topics].filter((any) => any.length > 0).map((any) => any.map(bloomBits));
  return (logsBloom) => {
    if (groups.length === 0) return !/^0x0*$/.test(logsBloom);
    const bloom = bytesFromHex(logsBloom);
    return groups.every((any) => any.some((bits) => bits.every(({ byte, mask }) => ((bloom[byte] ?? 0) & mask) !== 0)));
  };
}

function bloomBits(value: Hex): readonly { readonly byte: number; readonly mask: number }[] {
  const hash = keccak256(bytesFromHex(value));
  return [0, 2, 4].map((at) => {
    const bit = (((hash[at] ?? 0) << 8) | (hash[at + 1] ?? 0)) & 2047;
    return { byte: 255 - (bit >> 3), mask: 1 << (bit & 7) };
  });
}
