import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { checkShape, endOfString } from './scan-json.ts';

test('endOfString finds the end of any string', () => {
  const character = fc.oneof(fc.constantFrom('"', '\\'), fc.string({ maxLength: 1 }));
  fc.assert(
    fc.property(fc.array(character), (characters) => {
      const text = JSON.stringify(characters.join(''));
      expect(endOfString(`[${text},"x"]`, 1)).toBe(text.length);
    }),
  );
});

test.each(['"', '"x', '"x\\"', '"\\', '"\\\\\\"'])('endOfString of %s, which has no end, is the length', (text) => {
  expect(endOfString(text, 0)).toBe(text.length);
});

test('checkShape does not count brackets and commas in strings', () => {
  const limits = { depthMax: 2, valuesMax: 3 };
  expect(() => checkShape('["[[[[,,,,\\"[[[[,,,,",["\\\\"]]', limits)).not.toThrow();
  expect(() => checkShape('["\\\\",[[]]]', limits)).toThrow('deeper than 2 levels');
  expect(() => checkShape('["\\"",1,2,3]', limits)).toThrow('more than 3 values');
});
