import { expect, test } from '@jest/globals';
import { PresenceCache } from './presence-cache.ts';

test('lengths and absences are known for a while', async () => {
  const cache = new PresenceCache({ presencesMax: 10, presenceMs: 200 });
  cache.set('stored', 5);
  cache.set('absent', undefined);
  cache.set('deleted', 6);
  cache.delete('deleted');
  expect(['stored', 'absent', 'deleted', 'other'].map((key) => cache.get(key))).toEqual([
    5,
    undefined,
    'unknown',
    'unknown',
  ]);
  await new Promise((resolve) => setTimeout(resolve, 250));
  expect(cache.get('stored')).toBe('unknown');
});

test('the number of entries is bounded, and the newest half stays', () => {
  const cache = new PresenceCache({ presencesMax: 10, presenceMs: 60_000 });
  for (let key = 0; key < 100; key++) cache.set(`${key}`, key);
  const known = Array.from({ length: 100 }, (_, key) => key).filter((key) => cache.get(`${key}`) === key);
  expect(known.length).toBeLessThanOrEqual(10);
  expect(known).toEqual(expect.arrayContaining([95, 96, 97, 98, 99]));
  for (const key of known) cache.delete(`${key}`);
  expect(known.map((key) => cache.get(`${key}`))).toEqual(known.map(() => 'unknown'));
});
