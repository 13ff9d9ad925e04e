import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createRandom } from './random.mjs';

test('createRandom repeats its choices for one seed and changes them for another', () => {
  const choices = (seed) => {
    const random = createRandom(seed);
    return [random.integer(0, 1e9), random.pick(['a', 'b', 'c']), ...random.bytes(8)];
  };
  assert.deepEqual(choices(7), choices(7));
  assert.notDeepEqual(choices(7), choices(8));
});

test('integer keeps its bounds, both included', () => {
  const random = createRandom(1);
  const seen = new Set(Array.from({ length: 1000 }, () => random.integer(-1, 1)));
  assert.deepEqual([...seen].sort(), [-1, 0, 1]);
});
