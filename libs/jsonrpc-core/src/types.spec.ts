// The compiler checks these cases: `typecheck` fails if one of them is wrong.
import { describe, test } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import { type AnyMethod, Dispatcher, defineMethod } from './index.ts';

const number = { name: 'a', summary: 'a number', parse: (_field: string, value: unknown) => Number(value) };
const text = { name: 'b', summary: 'a text', parse: (_field: string, value: unknown) => String(value) };

describe('types', () => {
  test('a handler gets the types of its parsers and the context of its dispatcher', () => {
    const method = defineMethod<{ user: string }>()({
      name: 'repeat',
      summary: 'Repeats a text.',
      params: [number, text],
      result: 'The text.',
      handle([count, words], context) {
        expectTypeOf(count).toEqualTypeOf<number>();
        expectTypeOf(words).toEqualTypeOf<string>();
        expectTypeOf(context).toEqualTypeOf<{ user: string }>();
        return words.repeat(count);
      },
    });
    expectTypeOf(method).toEqualTypeOf<AnyMethod<{ user: string }>>();
  });

  test('a dispatcher refuses methods with another context', () => {
    const method = defineMethod<{ user: string }>()({
      name: 'who',
      summary: 'The caller.',
      params: [],
      result: 'A name.',
      handle: (_params, { user }) => user,
    });
    // @ts-expect-error: the context of this dispatcher has no user.
    new Dispatcher<{ address: string }>({ methods: [method] });
  });
});
