import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseLogFilter } from '../methods/logs/log-filter.ts';
import { NetworkPending } from '../sending/pending-transactions.ts';
import type { FilterTopic } from './filter-events.ts';
import type { FilterStore } from './filter-store.ts';
import { KeyFilters } from './filters.ts';
import { MemoryFilterStore } from './memory-filter-store.ts';
import { addresses, hashOf, type SeenEvent, TestChain } from './test-chain.fixture.ts';

const [address, other] = addresses;
const logsOf = (filter: unknown): FilterTopic => ({ kind: 'logs', filter: parseLogFilter('filter', filter) });

function filtersOf(chain: TestChain, key = 'key', store: FilterStore = new MemoryFilterStore()) {
  const pending = new NetworkPending(undefined);
  const own = new KeyFilters({ chain, pending, store, owner: { network: 'test', key } });
  const changes = async (id: string) => {
    return (await own.changes(id)) as SeenEvent[] | undefined;
  };
  return { own, changes };
}

test('changes returns the blocks and logs since the last request, including removed ones', async () => {
  const chain = new TestChain();
  const { own, changes } = filtersOf(chain);
  const blocks = await own.add({ kind: 'blocks' });
  const logs = await own.add(logsOf({ address }));
  const others = await own.add(logsOf({ address: `0x${'33'.repeat(20)}` }));
  const later = await own.add(logsOf({ fromBlock: '0x2' }));
  expect(await Promise.all([blocks, logs].map(changes))).toEqual([[], []]);
  chain.moveTo('aa');
  expect(await changes(blocks)).toEqual([hashOf('a'), hashOf('aa')]);
  expect(await changes(logs)).toMatchObject([
    { blockHash: hashOf('a'), logIndex: '0x0', removed: false },
    { blockHash: hashOf('aa'), logIndex: '0x0', removed: false },
    { blockHash: hashOf('aa'), logIndex: '0x2', removed: false },
  ]);
  expect(new Set((await changes(later))?.map(({ blockHash }) => blockHash))).toEqual(new Set([hashOf('aa')]));
  expect(await changes(others)).toEqual([]);
  chain.moveTo('b');
  expect(await changes(blocks)).toEqual([hashOf('b')]);
  expect(await changes(logs)).toMatchObject([
    { blockHash: hashOf('aa'), removed: true },
    { blockHash: hashOf('aa'), removed: true },
    { blockHash: hashOf('a'), removed: true },
    { blockHash: hashOf('b'), removed: false },
    { blockHash: hashOf('b'), removed: false },
  ]);
});

test('polls return each log of the canonical chain once, whatever reorgs happen between them', async () => {
  const path = fc.stringMatching(/^[abc]{0,6}$/);
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(path, fc.boolean()), { maxLength: 12 }),
      fc.boolean(),
      async (moves, isRemote) => {
        const chain = new TestChain({ isRemote });
        const { own, changes } = filtersOf(chain);
        const id = await own.add(logsOf({ address: other }));
        const live = new Set<string>();
        const poll = async () => {
          for (const { blockHash, logIndex, removed } of (await changes(id)) ?? []) {
            const log = `${blockHash} ${Number(logIndex)}`;
            expect(live.has(log)).toBe(removed);
            if (removed) live.delete(log);
            else live.add(log);
          }
        };
        for (const [to, isPolled] of moves) {
          chain.moveTo(to);
          if (isPolled) await poll();
        }
        await poll();
        expect([...live].sort()).toEqual(chain.logs(other).sort());
      },
    ),
  );
});

test('a reorg of 100 blocks is returned completely', async () => {
  const chain = new TestChain();
  const { own, changes } = filtersOf(chain);
  const id = await own.add(logsOf({}));
  const blocks = await own.add({ kind: 'blocks' });
  chain.moveTo('a'.repeat(100));
  const added = (await changes(id)) ?? [];
  expect(await changes(blocks)).toHaveLength(100);
  chain.moveTo('b'.repeat(101));
  const events = (await changes(id)) ?? [];
  expect(events.filter(({ removed }) => removed)).toHaveLength(added.length);
  expect(events.filter(({ removed }) => !removed).map((log) => `${log.blockHash} ${Number(log.logIndex)}`)).toEqual(
    chain.logs(),
  );
  expect(await changes(blocks)).toHaveLength(101);
});

test('a long way to the head takes several polls, which return each block once', async () => {
  const chain = new TestChain();
  const { own, changes } = filtersOf(chain);
  const id = await own.add({ kind: 'blocks' });
  chain.moveTo('a'.repeat(2_500));
  const lengths = [];
  const seen = new Set<unknown>();
  for (let polled = await changes(id); polled !== undefined && polled.length > 0; polled = await changes(id)) {
    lengths.push(polled.length);
    for (const hash of polled) seen.add(hash);
  }
  expect(lengths).toEqual([1_024, 1_024, 452]);
});

test('a poll ends after 32 Mi characters of data, and the next polls return the rest', async () => {
  const chain = new TestChain({ data: `0x${'00'.repeat(4 * 1024 * 1024)}` });
  const { own, changes } = filtersOf(chain);
  const id = await own.add(logsOf({}));
  chain.moveTo('a'.repeat(12));
  const polls = [];
  for (let polled = await changes(id); polled !== undefined && polled.length > 0; polled = await changes(id))
    polls.push(polled.map((log) => `${log.blockHash} ${Number(log.logIndex)}`));
  expect(polls.length).toBeGreaterThan(2);
  for (const poll of polls) expect(poll.length).toBeLessThan(8);
  expect(polls.flat()).toEqual(chain.logs());
});

test('concurrent polls return different events, and a failed poll loses none', async () => {
  const chain = new TestChain({ isRemote: true });
  const { own, changes } = filtersOf(chain);
  const id = await own.add({ kind: 'blocks' });
  chain.moveTo('aaa');
  chain.onFetch = () => {
    throw new Error('planted');
  };
  await expect(changes(id)).rejects.toThrow('planted');
  chain.onFetch = () => {};
  const polls = await Promise.all([changes(id), changes(id), changes(id)]);
  expect(polls.flat()).toEqual(['a', 'aa', 'aaa'].map(hashOf));
});

test('a poll of a filter whose last block is unknown is an error and ends the filter', async () => {
  const chain = new TestChain();
  chain.moveTo('aa');
  const { own, changes } = filtersOf(chain);
  const id = await own.add({ kind: 'blocks' });
  chain.moveTo('b');
  chain.forget('aa');
  await expect(changes(id)).rejects.toThrow(/^filter not found\. Its last block 2 is no longer known/);
  expect(await own.find(id)).toBeUndefined();
});

test('a filter ends when it is removed, and after five minutes without a request', async () => {
  let now = 0;
  const chain = new TestChain();
  const filters = new MemoryFilterStore(() => now);
  const { own, changes } = filtersOf(chain, 'key', filters);
  const [polled, idle] = [await own.add({ kind: 'blocks' }), await own.add({ kind: 'blocks' })];
  const { own: others } = filtersOf(chain, 'other', filters);
  expect(await others.find(polled)).toBeUndefined();
  expect(await others.remove(polled)).toBe(false);
  now = 299_999;
  expect(await changes(polled)).toEqual([]);
  now = 300_000;
  expect(await own.find(idle)).toBeUndefined();
  expect(await own.find(polled)).toBeDefined();
  expect([await own.remove(polled), await own.remove(polled)]).toEqual([true, false]);
  const again = await own.add({ kind: 'blocks' });
  expect(await own.find(again)).toBeDefined();
});

test('add refuses more than 100 filters, or 10,000 addresses and topics, per key', async () => {
  const chain = new TestChain();
  const { own } = filtersOf(chain);
  for (let count = 0; count < 100; count++) await own.add({ kind: 'blocks' });
  await expect(own.add({ kind: 'blocks' })).rejects.toMatchObject({ rpcCode: -32005 });
  const { own: second } = filtersOf(chain);
  const topic = logsOf({ address: Array(1000).fill(address) });
  for (let count = 0; count < 10; count++) await second.add(topic);
  await expect(second.add(topic)).rejects.toMatchObject({ rpcCode: -32005 });
});
