import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { numberIds } from './number-ids.ts';

describe('numberIds', () => {
  test.each([
    ['{"id":9007199254740993}', ['9007199254740993']],
    [' { "method" : "id" , "id" :\n 1.0 } ', ['1.0']],
    ['{"\\u0069d":-0}', ['-0']],
    ['{"id":1,"id":2e1}', ['2e1']],
    ['{"id":1,"id":"a"}', [undefined]],
    ['{"id":{"id":5}}', [undefined]],
    ['{"params":{"id":5},"x":[{"id":6}],"y":"\\"id\\":7"}', []],
    ['[{"id":1},5,["id",{"id":2}],{"params":["]",{"id":3}],"id":4},{"id":5}]', ['1', undefined, undefined, '4', '5']],
    ['5', []],
    ['"id"', []],
  ])('extracts ids of %s', (text, ids) => {
    expect([...numberIds(text)]).toEqual([...ids]);
  });

  test('extracts every integer between other members', () => {
    const member = fc.json({ maxDepth: 2 });
    const request = fc.record({ id: fc.bigInt(), before: member, after: member, key: fc.string() });
    fc.assert(
      fc.property(fc.array(request, { minLength: 1 }), (requests) => {
        const texts = requests.map(
          ({ id, before, after, key }) => `{"a":${before},"id":${id},${JSON.stringify(`${key}_`)}:${after}}`,
        );
        expect(numberIds(`[${texts.join(' , ')}]`)).toEqual(requests.map(({ id }) => String(id)));
      }),
    );
  });
});
