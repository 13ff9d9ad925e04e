import { type Hex, parseHash } from '@cairn/block-model';
import type { BlockId } from '../block-id.ts';
import { parseLogFilter } from '../methods/logs/log-filter.ts';
import type { FilterTopic } from './filter-events.ts';
import type { FilterPlace, StoredFilter } from './filter-store.ts';

/** Converts a topic to text: a log filter as the parameter of eth_newFilter. */
export function topicText(topic: FilterTopic): string {
  if (topic.kind !== 'logs') return JSON.stringify(topic);
  const { blocks, addresses, topics } = topic.filter;
  const range =
    'hash' in blocks ? { blockHash: blocks.hash } : { fromBlock: textOf(blocks.from), toBlock: textOf(blocks.to) };
  return JSON.stringify({ kind: 'logs', query: { ...range, address: addresses, topics } });
}

function textOf(id: BlockId): string | undefined {
  if ('tag' in id) return id.tag;
  return 'number' in id ? `0x${id.number.toString(16)}` : undefined;
}

export function placeText({ seen, pending }: FilterPlace): string {
  return JSON.stringify({ number: seen.number.toString(), hash: seen.hash, pending });
}

/** Parses topic, place and version; `undefined` for a record of another form, such as one of a later version. */
export function filterFrom([topic, place, version]: readonly unknown[]): StoredFilter | undefined {
  try {
    const number = Number(version);
    if (!Number.isSafeInteger(number)) return undefined;
    return {
      topic: topicFrom(JSON.parse(String(topic))),
      place: placeFrom(JSON.parse(String(place))),
      version: number,
    };
  } catch {
    return undefined;
  }
}

interface TopicRecord {
  readonly kind?: unknown;
  readonly query?: unknown;
  readonly isFull?: unknown;
}

function topicFrom({ kind, query, isFull }: TopicRecord): FilterTopic {
  if (kind === 'logs') return { kind, filter: parseLogFilter('filter', query) };
  if (kind === 'pendingTransactions') return { kind, isFull: isFull === true };
  if (kind === 'blocks') return { kind };
  throw new TypeError('unknown kind of filter');
}

interface PlaceRecord {
  readonly number: string;
  readonly hash: Hex;
  readonly pending?: { readonly process: unknown; readonly position: unknown; readonly at: unknown };
}

function placeFrom({ number, hash, pending }: PlaceRecord): FilterPlace {
  const seen = { number: BigInt(number), hash: parseHash('hash', hash) };
  if (pending === undefined) return { seen };
  return {
    seen,
    pending: { process: String(pending.process), position: Number(pending.position), at: Number(pending.at) },
  };
}
