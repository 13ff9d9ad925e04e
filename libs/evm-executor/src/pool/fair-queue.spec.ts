import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FairQueue } from './fair-queue.ts';

const laneOf = (item: string) => item.slice(0, 1);

function filled(items: readonly string[]): FairQueue<string> {
  const queue = new FairQueue<string>();
  for (const item of items) queue.push(laneOf(item), item);
  return queue;
}

/** Serves all items on one worker. Each item costs `costOf(item)`. */
function serve(queue: FairQueue<string>, costOf: (item: string) => number): string[] {
  const served: string[] = [];
  for (let item = queue.shift(); item !== undefined; item = queue.shift()) {
    served.push(item);
    queue.settle(laneOf(item), costOf(item));
  }
  return served;
}

describe('FairQueue', () => {
  test('serves a returned item before the others of its lane, in the turn of the lane', () => {
    const queue = filled(['a1', 'a2', 'b1']);
    queue.unshift('a', 'a0');
    queue.unshift('c', 'c0');
    expect(serve(queue, () => 1)).toEqual(['a0', 'b1', 'c0', 'a1', 'a2']);
  });

  test('alternates between lanes with items of equal cost, in order within a lane', () => {
    const queue = filled(['a1', 'a2', 'a3', 'b1', 'c1', 'b2']);
    expect(serve(queue, () => 1)).toEqual(['a1', 'b1', 'c1', 'a2', 'b2', 'a3']);
    expect(queue.length).toBe(0);
  });

  test('serves a lane of long items again after the others have used as much time', () => {
    const quick = Array.from({ length: 20 }, (_, index) => `b${index}`);
    const served = serve(filled(['a0', 'a1', ...quick]), (item) => (laneOf(item) === 'a' ? 500 : 50));
    expect(served.indexOf('a0')).toBe(0);
    // Ten items of 50 ms have used as much as one of 500 ms.
    expect(served.indexOf('a1')).toBeGreaterThanOrEqual(10);
    expect(served.indexOf('a1')).toBeLessThanOrEqual(13);
  });

  test('serves a lane without a running item before a lane with one', () => {
    const queue = filled(['a1', 'a2', 'b1', 'a3', 'b2']);
    expect([1, 2, 3, 4, 5].map(() => queue.shift())).toEqual(['a1', 'b1', 'a2', 'b2', 'a3']);
  });

  test('keeps the balance of a lane that leaves and returns', () => {
    const queue = filled(['a1', ...Array.from({ length: 20 }, (_, index) => `b${index}`)]);
    expect(queue.shift()).toBe('a1');
    queue.settle('a', 500);
    queue.push('a', 'a2');
    expect(serve(queue, () => 50).indexOf('a2')).toBeGreaterThanOrEqual(9);
  });

  test('drops all lanes when no item is queued or running, and the oldest idle ones beyond its limit', () => {
    const queue = new FairQueue<string>({ idleLanesMax: 10 });
    queue.push('stays', 'stays');
    for (let lane = 0; lane < 1_000; lane++) {
      queue.push(`${lane}`, `${lane}`);
      expect(queue.shift((name) => name === `${lane}`)).toBe(`${lane}`);
      queue.settle(`${lane}`, 1_000);
    }
    expect(queue.lanes).toBeLessThanOrEqual(10);
    expect(queue.shift()).toBe('stays');
    queue.settle('stays', 1);
    expect(queue.lanes).toBe(0);
  });

  test('with isOpen serves open lanes only and keeps the others', () => {
    const queue = filled(['a1', 'b1']);
    expect(queue.shift((name) => name === 'b')).toBe('b1');
    expect(queue.shift((_, running) => running > 0)).toBeUndefined();
    expect(queue.shift()).toBe('a1');
  });

  test('serves or removes every item exactly once', () => {
    const items = fc.array(fc.tuple(fc.constantFrom('a', 'b', 'c'), fc.boolean()), { maxLength: 30 });
    fc.assert(
      fc.property(items, (pushed) => {
        const queue = new FairQueue<number>();
        for (const [index, [lane]] of pushed.entries()) queue.push(lane, index);
        const removed = pushed.flatMap(([lane, leaves], index) => (leaves && queue.remove(lane, index) ? [index] : []));
        const served: number[] = [];
        for (let item = queue.shift(); item !== undefined; item = queue.shift()) served.push(item);
        expect([...served, ...removed].sort((a, b) => a - b)).toEqual(pushed.map((_, index) => index));
        expect(queue.remove('a', 0)).toBe(false);
      }),
    );
  });

  test('evict removes from the longest lane, and among equals from the given one', () => {
    const queue = filled(['a1', 'a2', 'a3', 'b1']);
    expect(queue.evict('a')).toBe('a3');
    expect(queue.evict('b')).toBe('a2');
    expect(queue.evict('b')).toBe('b1');
    expect(queue.length).toBe(1);
    expect(queue.evict('c')).toBe('a1');
    expect(queue.evict('c')).toBeUndefined();
  });
});

interface Arrival {
  readonly lane: string;
  /** Time since the previous arrival. */
  readonly afterMs: number;
  readonly costMs: number;
}

const quantumMs = 50;
const jobMsMax = 400;
const arrivals: fc.Arbitrary<readonly Arrival[]> = fc.array(
  fc.record({
    lane: fc.constantFrom('a', 'b', 'c', 'd'),
    afterMs: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 300 })),
    costMs: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.integer({ min: 1, max: jobMsMax })),
  }),
  { minLength: 1, maxLength: 120 },
);

/** Time that each lane has used since one lane began to wait. */
interface Backlog {
  readonly usedMs: Map<string, number>;
}

/**
 * Serves arrivals on a number of workers with a simulated clock. Calls `onEnd` after each item for every lane that has had items
 * waiting since before the item started.
 */
function simulate(
  given: readonly Arrival[],
  workers: number,
  onEnd: (lane: string, backlog: Backlog) => void,
): { readonly served: number; readonly idleWhileWaiting: number } {
  const queue = new FairQueue<Arrival>({ quantumMs });
  const running: { readonly item: Arrival; readonly endsAt: number }[] = [];
  const backlogs = new Map<string, Backlog>();
  const waiting = new Map<string, number>();
  const count = (lane: string, change: number) => waiting.set(lane, (waiting.get(lane) ?? 0) + change);
  let [served, idleWhileWaiting, now, next, arrivesAt] = [0, 0, 0, 0, given[0]?.afterMs ?? 0];
  const note = () => {
    for (const [lane, items] of waiting) {
      if (items === 0) backlogs.delete(lane);
      else if (!backlogs.has(lane)) backlogs.set(lane, { usedMs: new Map() });
    }
  };
  for (;;) {
    while (next < given.length && arrivesAt <= now) {
      const item = given[next++] as Arrival;
      queue.push(item.lane, item);
      count(item.lane, 1);
      arrivesAt += given[next]?.afterMs ?? 0;
    }
    note();
    while (running.length < workers) {
      const item = queue.shift();
      if (item === undefined) break;
      count(item.lane, -1);
      running.push({ item, endsAt: now + item.costMs });
    }
    if (running.length < workers && queue.length > 0) idleWhileWaiting++;
    const ends = Math.min(
      ...running.map(({ endsAt }) => endsAt),
      next < given.length ? arrivesAt : Number.POSITIVE_INFINITY,
    );
    if (ends === Number.POSITIVE_INFINITY) return { served, idleWhileWaiting };
    now = ends;
    for (const each of running.filter(({ endsAt }) => endsAt <= now)) {
      running.splice(running.indexOf(each), 1);
      const { lane, costMs } = each.item;
      queue.settle(lane, costMs);
      served++;
      for (const backlog of backlogs.values()) {
        backlog.usedMs.set(lane, (backlog.usedMs.get(lane) ?? 0) + costMs);
        for (const [waits, own] of backlogs) if (own === backlog) onEnd(waits, backlog);
      }
    }
    note();
  }
}

describe('shares of lanes for any arrivals', () => {
  test.each([1, 2, 3])('on %i workers, a waiting lane never lags another one by more than its bound', (workers) => {
    // Lead of a lane beyond its quantum: its items that run when another lane begins to wait, and its next ones.
    const boundMs = workers === 1 ? 2 * (quantumMs + jobMsMax) : 2 * workers * (quantumMs + jobMsMax);
    fc.assert(
      fc.property(arrivals, (given) => {
        const { served, idleWhileWaiting } = simulate(given, workers, (lane, { usedMs }) => {
          const own = usedMs.get(lane) ?? 0;
          for (const [other, used] of usedMs) expect([other, used - own <= boundMs]).toEqual([other, true]);
        });
        expect(served).toBe(given.length);
        expect(idleWhileWaiting).toBe(0);
      }),
      { numRuns: 400 },
    );
  });

  test('a lane that waits from the first arrival gets its share minus one quantum and one item', () => {
    fc.assert(
      fc.property(arrivals, (given) => {
        // All items arrive at the start.
        const together = given.map((each) => ({ ...each, afterMs: 0 }));
        simulate(together, 1, (lane, { usedMs }) => {
          const own = usedMs.get(lane) ?? 0;
          for (const [other, used] of usedMs)
            expect([other, used - own <= quantumMs + jobMsMax]).toEqual([other, true]);
        });
      }),
      { numRuns: 400 },
    );
  });
});
