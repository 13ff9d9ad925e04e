import { expect, test } from '@jest/globals';
import { lowerPriority } from './lower-priority.ts';

test('lowerPriority gives way to services, and is no error where it is not allowed', () => {
  const set: number[] = [];
  lowerPriority((niceness) => set.push(niceness));
  expect(set).toEqual([5]);
  lowerPriority(() => {
    throw new Error('EACCES');
  });
});
