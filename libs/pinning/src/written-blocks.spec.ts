import { expect, test } from '@jest/globals';
import { NameCount, WrittenBlocks } from './written-blocks.ts';

const fill = (blocks: WrittenBlocks, names: number, prefix = '') => {
  for (let name = 0; name < names; name++) blocks.add(`${prefix}${name}`, 1);
};

test('bytes of a block add up until it is taken', () => {
  const all = new NameCount();
  const blocks = new WrittenBlocks(all);
  blocks.add('a', 2);
  blocks.add('a', 3);
  blocks.add('b', 1);
  expect([blocks.size, all.names, blocks.keys()]).toEqual([2, 2, ['a', 'b']]);
  expect([blocks.take('a'), blocks.take('a'), blocks.has('a'), all.names]).toEqual([5, 0, false, 1]);
  blocks.clear();
  expect([blocks.size, all.names]).toEqual([0, 0]);
});

test('one session is full at its limit', () => {
  const blocks = new WrittenBlocks(new NameCount());
  fill(blocks, 131_071);
  expect(blocks.isFull).toBe(false);
  blocks.add('last', 0);
  expect(blocks.isFull).toBe(true);
});

test('sessions share a limit, and a small one is not full because of others', () => {
  const all = new NameCount();
  const [first, second, third] = [new WrittenBlocks(all), new WrittenBlocks(all), new WrittenBlocks(all)];
  fill(first, 130_000);
  fill(second, 131_000);
  fill(third, 8_191);
  expect([first.isFull, second.isFull, third.isFull]).toEqual([true, true, false]);
  third.add('last', 0);
  expect(third.isFull).toBe(true);
  first.clear();
  expect([second.isFull, third.isFull]).toEqual([false, false]);
});
