import { RpcError } from '@cairn/jsonrpc-core';
import { type Redis, redisScript, type ScriptCall } from '@cairn/redis';
import { filterFrom, placeText, topicText } from './filter-records.ts';
import {
  type FilterOwner,
  type FilterPlace,
  type FilterStore,
  filterLimits,
  type StoredFilter,
  valuesOf,
} from './filter-store.ts';

const readTime = `
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + math.floor(tonumber(time[2]) / 1000)`;

/**
 * A filter is a hash with the fields t (topic), p (place) and v (version). The index of a key has an entry for each filter, its id
 * and its number of values, by time of expiry. KEYS: the filter, the index. All times are in milliseconds.
 */
const addScript = redisScript(
  'add filter',
  `${readTime}
local id, values, topic, place = ARGV[1], tonumber(ARGV[2]), ARGV[3], ARGV[4]
local filtersMax, valuesMax, ttl = tonumber(ARGV[5]), tonumber(ARGV[6]), tonumber(ARGV[7])
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', string.format('%.0f', now))
local entries = redis.call('ZRANGE', KEYS[2], 0, -1)
for _, entry in ipairs(entries) do values = values + tonumber(string.match(entry, ' (%d+)$')) end
if #entries >= filtersMax or values > valuesMax then return 0 end
redis.call('HSET', KEYS[1], 't', topic, 'p', place, 'v', '0')
redis.call('PEXPIRE', KEYS[1], ttl)
redis.call('ZADD', KEYS[2], string.format('%.0f', now + ttl), id .. ' ' .. ARGV[2])
redis.call('PEXPIRE', KEYS[2], ttl)
return 1`,
);

/** ARGV: id, and the lifetime after a poll, or 0 if the filter is not renewed. */
const findScript = redisScript(
  'find filter',
  `${readTime}
local ttl = tonumber(ARGV[2])
local found = redis.call('HMGET', KEYS[1], 't', 'p', 'v')
if not found[1] then return {} end
if ttl > 0 then
  redis.call('PEXPIRE', KEYS[1], ttl)
  redis.call('PEXPIRE', KEYS[2], ttl)
  for _, entry in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
    if string.match(entry, '^(%S+)') == ARGV[1] then
      redis.call('ZADD', KEYS[2], string.format('%.0f', now + ttl), entry)
    end
  end
end
return found`,
);

/** ARGV: version, place. */
const advanceScript = redisScript(
  'advance filter',
  `if redis.call('HGET', KEYS[1], 'v') ~= ARGV[1] then return 0 end
redis.call('HSET', KEYS[1], 'p', ARGV[2])
redis.call('HINCRBY', KEYS[1], 'v', 1)
return 1`,
);

/** ARGV: id. */
const removeScript = redisScript(
  'remove filter',
  `for _, entry in ipairs(redis.call('ZRANGE', KEYS[2], 0, -1)) do
  if string.match(entry, '^(%S+)') == ARGV[1] then redis.call('ZREM', KEYS[2], entry) end
end
return redis.call('DEL', KEYS[1])`,
);

/** Ids that can exist: other texts of clients never become keys. */
const idPattern = /^0x[0-9a-f]{32}$/;

/** Filters in Redis, so that a filter of one process is answered by each other. While Redis is away, requests for filters fail. */
export class RedisFilterStore implements FilterStore {
  readonly isShared = true;
  readonly #redis: Redis;
  readonly #close: () => Promise<void>;

  /** @param close called when the store is closed */
  constructor({ redis, close }: { readonly redis: Redis; readonly close: () => Promise<void> }) {
    this.#redis = redis;
    this.#close = close;
  }

  close(): Promise<void> {
    return this.#close();
  }

  async add(owner: FilterOwner, id: string, { topic, place }: Pick<StoredFilter, 'topic' | 'place'>): Promise<boolean> {
    const { filtersMax, valuesMax, idleMs } = filterLimits;
    const values = [id, valuesOf(topic), topicText(topic), placeText(place), filtersMax, valuesMax, idleMs];
    return await this.#run({ script: addScript, keys: keysOf(owner, id), values, parse: flagFrom });
  }

  async find(owner: FilterOwner, id: string, { isPoll = false } = {}): Promise<StoredFilter | undefined> {
    if (!idPattern.test(id)) return undefined;
    const values = [id, isPoll ? filterLimits.idleMs : 0];
    const parse = (answer: unknown): { readonly filter: StoredFilter | undefined } | undefined => {
      if (!Array.isArray(answer)) return undefined;
      return answer.length === 0 ? { filter: undefined } : { filter: filterFrom(answer) };
    };
    const { filter } = await this.#run({ script: findScript, keys: keysOf(owner, id), values, parse });
    return filter;
  }

  async advance(owner: FilterOwner, id: string, version: number, place: FilterPlace): Promise<boolean> {
    const values = [version, placeText(place)];
    return await this.#run({ script: advanceScript, keys: keysOf(owner, id), values, parse: flagFrom });
  }

  async remove(owner: FilterOwner, id: string): Promise<boolean> {
    if (!idPattern.test(id)) return false;
    return await this.#run({ script: removeScript, keys: keysOf(owner, id), values: [id], parse: flagFrom });
  }

  async #run<T>(call: ScriptCall<T>): Promise<T> {
    try {
      return await this.#redis.run(call);
    } catch (cause) {
      throw Object.assign(new RpcError('unavailable', 'Filters are not available now. Retry in a second.'), { cause });
    }
  }
}

/** Both keys have the hash tag of the owner, so that a cluster keeps them on one server. */
function keysOf({ network, key }: FilterOwner, id: string): [string, string] {
  const index = `cairn:filters:{${encodeURIComponent(key)}}:${encodeURIComponent(network)}`;
  return [`${index}:${id}`, index];
}

function flagFrom(answer: unknown): boolean | undefined {
  return answer === 0 || answer === 1 ? answer === 1 : undefined;
}
