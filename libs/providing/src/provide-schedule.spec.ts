import { afterEach, beforeEach, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { ProvideSchedule } from './provide-schedule.ts';
import { cidOf, hour, ScheduleWorld } from './schedule.fixture.ts';

let world: ScheduleWorld;
const worlds: ScheduleWorld[] = [];
const createWorld = () => {
  const created = new ScheduleWorld();
  worlds.push(created);
  return created;
};
beforeEach(() => {
  world = createWorld();
});
afterEach(async () => {
  await Promise.all(worlds.splice(0).map(({ schedule }) => schedule.stop()));
});

const cids = Array.from({ length: 60 }, (_, at) => cidOf(`content ${at}`));

test('added announces content immediately', async () => {
  await world.settle();
  world.source.add(cidOf('a'));
  await world.schedule.added([cidOf('a')]);
  await world.settle();
  expect(world.announcer.timesOf(cidOf('a'))).toEqual([world.clock.now()]);
  expect(await world.schedule.counts()).toMatchObject({ records: 1, waiting: 0, announced: 1, failed: 0 });
});

test('content is announced once per interval, in the slot of its region', async () => {
  world.source.add(...cids);
  await world.schedule.added(cids);
  await world.run(6 * 22 * hour);
  for (const cid of cids) {
    const times = world.announcer.timesOf(cid);
    const gaps = times.slice(1).map((time, at) => time - (times[at] ?? 0));
    expect(times.length).toBeGreaterThanOrEqual(5);
    expect(gaps[0]).toBeGreaterThan(world.intervalMs / 2 - 1);
    expect(gaps[0]).toBeLessThanOrEqual(world.intervalMs * 1.5 + 1);
    for (const gap of gaps.slice(1))
      expect(Math.abs(gap - world.intervalMs)).toBeLessThanOrEqual(world.intervalMs / 64);
  }
  // Announcements are spread: no moment after the first one has many of them.
  const counts = new Map<number, number>();
  for (const time of [...world.announcer.times.values()].flat()) counts.set(time, (counts.get(time) ?? 0) + 1);
  const [, ...later] = [...counts].sort(([a], [b]) => a - b).map(([, count]) => count);
  expect(Math.max(...later)).toBeLessThanOrEqual(12);
});

test('content that is added during a backlog is announced before the rest of it', async () => {
  const [added, ...backlog] = cids;
  if (added === undefined) throw new Error('There is no content.');
  await world.settle();
  world.announcer.isOnline = false;
  world.source.add(...backlog);
  world.schedule.requestReconciliation();
  await world.settle();
  expect(await world.schedule.counts()).toMatchObject({ records: backlog.length, waiting: backlog.length });
  world.announcer.isOnline = true;
  world.source.add(added);
  await world.schedule.added([added]);
  await world.run(hour);
  expect(world.announcer.times.size).toBe(cids.length);
  expect([...world.announcer.times.keys()][0]).toBe(Buffer.from(added.multihash.bytes).toString('hex'));
});

test('content that another process added or removed is found by comparison with the source', async () => {
  world.source.add(cidOf('a'), cidOf('b'));
  await world.run(2 * hour);
  expect(world.announcer.timesOf(cidOf('a'))).toHaveLength(1);
  world.source.remove(cidOf('a'));
  await world.run(2 * hour);
  expect(await world.schedule.counts()).toMatchObject({ records: 1 });
});

test('content that the source no longer includes is not announced again', async () => {
  world.source.add(cidOf('a'));
  await world.schedule.added([cidOf('a'), cidOf('never')]);
  await world.settle();
  world.source.remove(cidOf('a'));
  await world.run(60 * hour);
  expect(world.announcer.timesOf(cidOf('a'))).toHaveLength(1);
  expect(world.announcer.timesOf(cidOf('never'))).toEqual([]);
});

test('removed keeps content that the source still includes', async () => {
  world.source.add(cidOf('a'), cidOf('b'));
  await world.schedule.added([cidOf('a'), cidOf('b')]);
  world.source.remove(cidOf('a'));
  await world.schedule.removed([cidOf('a'), cidOf('b')]);
  expect(await world.schedule.counts()).toMatchObject({ records: 1 });
});

test('an outage causes few lookups, and content is announced soon after it', async () => {
  await world.settle();
  world.announcer.isOnline = false;
  world.source.add(...cids);
  await world.schedule.added(cids);
  await world.run(10 * hour);
  expect(world.announcer.lookups).toBeLessThan(11 * 60);
  expect(await world.schedule.counts()).toMatchObject({ announced: 0, failed: 0, waiting: 60, isOnline: false });
  world.announcer.isOnline = true;
  world.schedule.networkChanged();
  await world.run(1001);
  expect(await world.schedule.counts()).toMatchObject({ announced: 60, waiting: 0, isOnline: true });
});

test('a failed record is repeated with growing waits and does not delay others', async () => {
  const [bad, ...good] = cids;
  if (bad === undefined) throw new Error('There is no content.');
  world.announcer.accepts = ({ multihash }) => Buffer.compare(multihash, bad.multihash.bytes) !== 0;
  world.source.add(...cids);
  await world.schedule.added(cids);
  await world.settle();
  for (const cid of good) expect(world.announcer.timesOf(cid)).toHaveLength(1);
  await world.run(10 * hour);
  const { failed } = await world.schedule.counts();
  expect(failed).toBeGreaterThan(20);
  expect(failed).toBeLessThan(45);
  world.announcer.accepts = () => true;
  await world.run(hour);
  expect(world.announcer.timesOf(bad)).toHaveLength(1);
});

test('a clock that was set back does not delay content beyond the validity of its records', async () => {
  const future = world.clock.now() + 1000 * hour;
  world.source.add(cidOf('a'));
  await world.store.add([cidOf('a')]);
  const [record] = await world.store.inRegion({ start: new Uint8Array(32), bits: 0 }, { limit: 1 });
  if (record === undefined) throw new Error('There is no record.');
  await world.store.settle([{ key: record.key, announcedAt: future, dueAt: future + 22 * hour, failures: 0 }]);
  await world.run(2 * hour);
  expect(world.announcer.timesOf(cidOf('a'))).toHaveLength(1);
});

test('at most regionsMax regions are announced concurrently', async () => {
  await world.settle();
  const waiting: (() => void)[] = [];
  world.announcer.gate = () => new Promise((resolve) => waiting.push(resolve));
  world.source.add(...cids);
  await world.schedule.added(cids);
  for (let round = 0; round < 200; round++) {
    await world.settle();
    expect(world.announcer.open).toBeLessThanOrEqual(4);
    for (const resume of waiting.splice(0)) resume();
  }
  expect(world.announcer.openMax).toBe(4);
  expect(await world.schedule.counts()).toMatchObject({ announced: 60, waiting: 0 });
});

test.each([0.5, 40 * 3600])('an interval of %d seconds is refused', (seconds) => {
  const { store, announcer, source } = world;
  const create = () => new ProvideSchedule({ store, announcer, source, intervalMs: seconds * 1000 });
  expect(create).toThrow(expect.objectContaining({ code: 'PROVIDE_INTERVAL_INVALID' }));
});

test('no history of crashes, outages and changes loses a record or repeats one within half an interval', async () => {
  const index = fc.nat({ max: 14 });
  const step = fc.oneof(
    { weight: 3, arbitrary: fc.record({ type: fc.constant('add' as const), at: index, isReported: fc.boolean() }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('remove' as const), at: index, isReported: fc.boolean() }) },
    { weight: 3, arbitrary: fc.record({ type: fc.constant('run' as const), hours: fc.integer({ min: 1, max: 40 }) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('crash' as const), turns: fc.nat({ max: 12 }) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('outage' as const), minutes: fc.nat({ max: 300 }) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant('bits' as const), bits: fc.nat({ max: 12 }) }) },
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
      const own = createWorld();
      const { source, announcer, clock } = own;
      const crashes: number[] = [];
      const changed = new Map<number, number[]>();
      for (const change of steps) {
        if (change.type === 'run') await own.run(change.hours * hour);
        else if (change.type === 'bits') announcer.bits = change.bits;
        else if (change.type === 'crash') {
          for (let turn = 0; turn < change.turns; turn++) await Promise.resolve();
          own.crash();
          crashes.push(clock.now());
        } else if (change.type === 'outage') {
          announcer.isOnline = false;
          await own.run(change.minutes * 60_000);
          announcer.isOnline = true;
        } else {
          const cid = cidOf(`content ${change.at}`);
          changed.set(change.at, [...(changed.get(change.at) ?? []), clock.now()]);
          if (change.type === 'add') source.add(cid);
          else source.remove(cid);
          const { schedule } = own;
          // Not awaited: a crash may come before the change is stored.
          if (change.isReported) void (change.type === 'add' ? schedule.added([cid]) : schedule.removed([cid]));
        }
      }
      await own.run(3 * hour);
      for (let at = 0; at < 15; at++) {
        const cid = cidOf(`content ${at}`);
        const times = announcer.timesOf(cid);
        if (source.content.has(cid.toString())) {
          // Never lost: the last announcement is younger than one and a half intervals and the outages.
          const age = clock.now() - (times.at(-1) ?? 0);
          expect(age).toBeLessThanOrEqual(own.intervalMs * 1.5 + 5 * hour + 60_000);
        }
        for (const [before, time] of times.slice(1).map((time, earlier) => [times[earlier] ?? 0, time] as const)) {
          const isExcused = [...crashes, ...(changed.get(at) ?? [])].some((event) => event >= before && event <= time);
          if (!isExcused) expect(time - before).toBeGreaterThanOrEqual(own.intervalMs / 2 - 1);
        }
      }
      await own.schedule.stop();
    }),
    { numRuns: 20 },
  );
});
