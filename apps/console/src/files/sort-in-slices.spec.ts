import { expect, test } from '@jest/globals';
import { selectInSlices, sortInSlices } from './sort-in-slices.ts';

/** Pseudo-random rows, many of which compare as equal. */
function rowsOf(count: number): { readonly key: number; readonly at: number }[] {
  let state = 1;
  return Array.from({ length: count }, (_, at) => {
    state = (state * 48_271) % 2_147_483_647;
    return { key: state % 50, at };
  });
}

test.each([0, 1, 2, 3999, 4000, 4001, 12_000, 30_001])(
  'sorts %d rows as the stable sort of the language',
  async (count) => {
    const rows = rowsOf(count);
    const compare = (one: { key: number }, other: { key: number }) => one.key - other.key;
    expect(await sortInSlices(rows, compare)).toEqual([...rows].sort(compare));
    expect(rows).toEqual(rowsOf(count));
  },
);

test('selects the wanted rows in their order', async () => {
  const rows = rowsOf(9001);
  expect(await selectInSlices(rows, ({ key }) => key === 7)).toEqual(rows.filter(({ key }) => key === 7));
});

test('serves other work between slices', async () => {
  const sorting = sortInSlices(rowsOf(30_000), (one, other) => one.key - other.key).then(() => 'sorted');
  const other = new Promise((resolve) => setImmediate(() => resolve('other')));
  expect(await Promise.race([sorting, other])).toBe('other');
  await sorting;
});
