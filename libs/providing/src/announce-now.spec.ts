import { expect, test } from '@jest/globals';
import { announceNow } from './announce-now.ts';
import { limits } from './limits.ts';
import { cidOf, FakeAnnouncer } from './schedule.fixture.ts';

const cidsOf = (count: number) => Array.from({ length: count }, (_, n) => cidOf(`content ${n}`));

test('announceNow looks up each region once and announces each CID once', async () => {
  const announcer = new FakeAnnouncer(() => 1);
  announcer.bits = 3;
  const cids = cidsOf(500);
  expect(await announceNow(announcer, [...cids, ...cids])).toEqual({ announced: 500, failed: 0 });
  expect(announcer.lookups).toBe(8);
  expect(cids.map((cid) => announcer.timesOf(cid).length)).toEqual(cids.map(() => 1));
});

test('announceNow sends a large region in bounded pages', async () => {
  const announcer = new FakeAnnouncer(() => 1);
  announcer.bits = 0;
  const count = limits.pageRecords * 2 + 1;
  expect(await announceNow(announcer, cidsOf(count))).toEqual({ announced: count, failed: 0 });
  expect([announcer.lookups, announcer.calls]).toEqual([1, 3]);
});

test('announceNow counts records that no node took', async () => {
  const announcer = new FakeAnnouncer(() => 1);
  const cids = cidsOf(10);
  const refused = Buffer.from(cids[3]?.multihash.bytes ?? []);
  announcer.accepts = ({ multihash }) => !refused.equals(multihash);
  expect(await announceNow(announcer, cids)).toEqual({ announced: 9, failed: 1 });
});

test('announceNow rejects when the routing system cannot be reached, and ends with its signal', async () => {
  const announcer = new FakeAnnouncer(() => 1);
  announcer.isOnline = false;
  await expect(announceNow(announcer, cidsOf(3))).rejects.toMatchObject({ code: 'ROUTING_UNAVAILABLE' });
  announcer.isOnline = true;
  announcer.gate = () => new Promise(() => {});
  const abort = new AbortController();
  const announcing = announceNow(announcer, cidsOf(3), { signal: abort.signal });
  abort.abort(new Error('enough'));
  await expect(announcing).rejects.toThrow('enough');
});
