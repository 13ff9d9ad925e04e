import { expect, test } from '@jest/globals';
import { boundedJson } from './bounded-json.ts';

test.each([[1], ['a"\n'], [null], [true], [[1, [2], {}]], [{ a: { b: [] }, c: 'd' }], [[]], [{ a: undefined, b: 1 }]])(
  'boundedJson prints %j as JSON.stringify does',
  (value) => {
    expect(boundedJson(value, 1000)).toBe(JSON.stringify(value));
  },
);

test('boundedJson prints values that JSON.stringify refuses', () => {
  const loop: Record<string, unknown> = { n: 5n };
  loop.self = loop;
  expect(boundedJson({ n: 5n, u: undefined }, 100)).toBe('{"n":5}');
  expect(boundedJson(undefined, 100)).toBe('undefined');
  expect(boundedJson(loop, 1000)).toMatch(/^\{"n":5,"self":\{"n":5/);
});

test('boundedJson is short for large and deep values', () => {
  const deep = JSON.parse(`${'['.repeat(200_000)}${']'.repeat(200_000)}`);
  expect(boundedJson(deep, 80).length).toBeLessThanOrEqual(80);
  expect(boundedJson(deep, 20_000).length).toBeLessThan(200);
  expect(boundedJson('x'.repeat(1_000_000), 80)).toHaveLength(80);
  expect(boundedJson(new Array(1_000_000).fill('x'), 80)).toHaveLength(80);
});
