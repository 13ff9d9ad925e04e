import { expect, test } from '@jest/globals';
import { HeavyRoutes } from './heavy-routes.ts';

function openRoutes() {
  let time = 0;
  const routes = new HeavyRoutes(() => time);
  /** Ends of pauses, from now on. */
  const pauseOf = (name: string) => {
    const start = time;
    while (routes.has(name)) time++;
    return time - start;
  };
  return { routes, pauseOf };
}

test('a trace pauses for 50 ms after its first timeout, and for twice the time after each further one', () => {
  const { routes, pauseOf } = openRoutes();
  const pauses: number[] = [];
  for (let count = 0; count < 7; count++) {
    routes.addTimeout('trace');
    pauses.push(pauseOf('trace'));
  }
  expect(pauses).toEqual([50, 100, 200, 400, 800, 1000, 1000]);
});

test('an answer ends the pause and resets the timeouts', () => {
  const { routes, pauseOf } = openRoutes();
  routes.addTimeout('trace');
  routes.addTimeout('trace');
  routes.delete('trace');
  expect(pauseOf('trace')).toBe(0);
  routes.addTimeout('trace');
  expect(pauseOf('trace')).toBe(50);
});

test('a trace over its budget pauses for 1 s, and a function for 10 s', () => {
  const { routes, pauseOf } = openRoutes();
  routes.addOverBudget('trace', true);
  expect(pauseOf('trace')).toBe(1000);
  routes.addOverBudget('function', false);
  expect(pauseOf('function')).toBe(10_000);
});

test('at most 1,000 routes are kept', () => {
  const { routes } = openRoutes();
  for (let count = 0; count < 1000; count++) routes.addTimeout(`trace ${count}`);
  expect(routes.has('trace 0')).toBe(true);
  routes.addTimeout('another');
  expect([routes.has('trace 0'), routes.has('another')]).toEqual([false, true]);
});
