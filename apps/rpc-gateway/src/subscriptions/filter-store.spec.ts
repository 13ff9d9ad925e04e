import { openRedis, redisScript } from '@cairn/redis';
import type { ProcessGroup, SharedFunctions } from '@cairn/service-kit';
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { describeWithRedis } from '../../../../tools/engines/jest.mjs';
import { parseLogFilter } from '../methods/logs/log-filter.ts';
import { NetworkPending } from '../sending/pending-transactions.ts';
import type { FilterTopic } from './filter-events.ts';
import { type FilterStore, filterLimits } from './filter-store.ts';
import { KeyFilters } from './filters.ts';
import { GroupFilterStore } from './group-filter-store.ts';
import { MemoryFilterStore } from './memory-filter-store.ts';
import { RedisFilterStore } from './redis-filter-store.ts';
import { sharedFilters } from './shared-filters.ts';
import { newSubscriptionId } from './subscription-id.ts';
import { hashOf, TestChain } from './test-chain.fixture.ts';

const owner = { network: 'test', key: 'key' };
const address = `0x${'ab'.repeat(20)}`;
const topic = `0x${'cd'.repeat(32)}`;
const logs = (query: unknown): FilterTopic => ({ kind: 'logs', filter: parseLogFilter('filter', query) });
const place = { seen: { number: 2n ** 60n, hash: hashOf('a') } };
const blocks = { topic: { kind: 'blocks' }, place } as const;

/** Contract suite of every {@link FilterStore}. `open` returns a handle of another process on the same filters. */
function describeFilterStore(name: string, open: () => Promise<FilterStore>): void {
  describe(`${name} as a FilterStore`, () => {
    let store: FilterStore;
    let other: FilterStore;
    beforeEach(async () => {
      store = await open();
      other = store.isShared ? await open() : store;
    });
    afterEach(() => Promise.all([store.close(), other.close()]));

    test.each([
      { kind: 'blocks' } as const,
      { kind: 'pendingTransactions', isFull: true } as const,
      logs({}),
      logs({ blockHash: topic }),
      logs({ fromBlock: '0x5', toBlock: 'latest', address: [address], topics: [[topic, topic], null, topic] }),
      logs({ fromBlock: 'earliest', toBlock: '0xffffffffffff' }),
    ])('a filter is found with its topic and place: %j', async (wanted) => {
      const id = newSubscriptionId();
      const pending = wanted.kind === 'pendingTransactions' ? { process: 'one', position: 7, at: 5 } : undefined;
      expect(await store.add(owner, id, { topic: wanted, place: { ...place, pending } })).toBe(true);
      expect(await other.find(owner, id)).toEqual({ topic: wanted, place: { ...place, pending }, version: 0 });
      expect(await other.find(owner, id, { isPoll: true })).toMatchObject({ version: 0 });
    });

    test('a filter belongs to its key and network, and other ids are unknown', async () => {
      const id = newSubscriptionId();
      await store.add(owner, id, blocks);
      for (const stranger of [
        { ...owner, key: 'other' },
        { ...owner, network: 'other' },
      ]) {
        expect(await other.find(stranger, id)).toBeUndefined();
        expect(await other.advance(stranger, id, 0, place)).toBe(false);
        expect(await other.remove(stranger, id)).toBe(false);
      }
      for (const unknown of ['', '0x', 'a b', newSubscriptionId()]) {
        expect(await store.find(owner, unknown)).toBeUndefined();
        expect(await store.remove(owner, unknown)).toBe(false);
      }
      expect([await other.remove(owner, id), await store.remove(owner, id)]).toEqual([true, false]);
      expect(await store.find(owner, id)).toBeUndefined();
    });

    test('one of several concurrent advances from a version succeeds', async () => {
      const id = newSubscriptionId();
      await store.add(owner, id, blocks);
      const next = { seen: { number: 3n, hash: hashOf('b') } };
      const results = await Promise.all([store, other, store, other].map((each) => each.advance(owner, id, 0, next)));
      expect(results.filter(Boolean)).toHaveLength(1);
      expect(await other.find(owner, id)).toMatchObject({ place: next, version: 1 });
      expect(await store.advance(owner, id, 1, place)).toBe(true);
    });

    test('a key has a limited number of filters and values, also from several processes', async () => {
      const key = { ...owner, key: `limited-${newSubscriptionId()}` };
      const added = await Promise.all(
        Array.from({ length: filterLimits.filtersMax + 4 }, (_, index) =>
          (index % 2 ? store : other).add(key, newSubscriptionId(), blocks),
        ),
      );
      expect(added.filter(Boolean)).toHaveLength(filterLimits.filtersMax);
      const many = { ...owner, key: `many-${newSubscriptionId()}` };
      const wide = { topic: logs({ topics: [Array.from({ length: 1000 }, () => topic)] }), place };
      const ids = Array.from({ length: 10 }, () => newSubscriptionId());
      for (const id of ids) expect(await store.add(many, id, wide)).toBe(true);
      expect(await other.add(many, newSubscriptionId(), { topic: logs({ address }), place })).toBe(false);
      expect(await other.remove(many, ids[0] ?? '')).toBe(true);
      expect(await other.add(many, newSubscriptionId(), { topic: logs({ address }), place })).toBe(true);
    });
  });
}

describeFilterStore('MemoryFilterStore', async () => new MemoryFilterStore());

describe('filters in the primary process', () => {
  let functions: SharedFunctions;
  beforeEach(() => {
    functions = sharedFilters();
  });
  /** Passes calls as the channel between processes does: as structured clones. */
  const call: ProcessGroup['call'] = async (name, ...parameters) =>
    structuredClone(await functions[name]?.(...(structuredClone(parameters) as never[])));
  describeFilterStore('GroupFilterStore', async () => new GroupFilterStore({ call }));
});

describeWithRedis('filters in Redis', (server) => {
  const opened: FilterStore[] = [];
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });
  const open = async () => {
    const redis = await openRedis({ url: server().url, commandMs: 5000 });
    const store = new RedisFilterStore({ redis, close: () => redis.close() });
    opened.push(store);
    return store;
  };
  describeFilterStore('RedisFilterStore', open);

  /** Filters of a key at one gateway. */
  const filtersAt = (chain: TestChain, store: FilterStore) =>
    new KeyFilters({ chain, pending: new NetworkPending(undefined), store, owner });

  test('a filter that one gateway made is polled at another, each event once, also by concurrent polls', async () => {
    const chain = new TestChain();
    const [one, other] = [filtersAt(chain, await open()), filtersAt(chain, await open())];
    const id = await one.add({ kind: 'blocks' });
    chain.moveTo('aa');
    expect(await other.changes(id)).toEqual([hashOf('a'), hashOf('aa')]);
    expect(await one.changes(id)).toEqual([]);
    chain.moveTo('aaaa');
    const polls = await Promise.all([one.changes(id), other.changes(id), one.changes(id), other.changes(id)]);
    expect(polls.flat()).toEqual([hashOf('aaa'), hashOf('aaaa')]);
    expect(await other.remove(id)).toBe(true);
    expect(await one.changes(id)).toBeUndefined();
  });

  test('a gateway that is behind returns nothing and keeps the filter', async () => {
    const [ahead, behind] = [new TestChain(), new TestChain()];
    ahead.moveTo('aaa');
    const id = await filtersAt(ahead, await open()).add({ kind: 'blocks' });
    const late = filtersAt(behind, await open());
    behind.moveTo('a');
    expect(await late.changes(id)).toEqual([]);
    behind.moveTo('aaaa');
    expect(await late.changes(id)).toEqual([hashOf('aaaa')]);
  });

  test('every key expires within five minutes', async () => {
    const store = await open();
    await store.add(owner, newSubscriptionId(), blocks);
    const redis = await openRedis({ url: server().url });
    const list = redisScript(
      'list',
      "local found = {} for _, key in ipairs(redis.call('KEYS', '*')) do found[#found + 1] = redis.call('PTTL', key) end return found",
    );
    const ttls = await redis.run({ script: list, keys: ['a'], values: [], parse: (answer) => answer as number[] });
    expect(ttls.length).toBeGreaterThan(1);
    for (const ttl of ttls) expect(ttl > 0 && ttl <= filterLimits.idleMs).toBe(true);
    await redis.close();
  });

  test('requests for filters fail while Redis is away', async () => {
    const redis = await openRedis({ url: server().url });
    await redis.close();
    const store = new RedisFilterStore({ redis, close: async () => {} });
    await expect(store.find(owner, newSubscriptionId())).rejects.toThrow('Filters are not available now');
  });
});
