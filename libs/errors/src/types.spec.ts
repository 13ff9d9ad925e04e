// Checked by the compiler: `typecheck` fails when an expectation is wrong.
import { describe, test } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import { CairnError, isCairnError } from './index.ts';

describe('types', () => {
  test('the type of an error includes its code', () => {
    expectTypeOf(new CairnError('QUOTA_EXCEEDED', 'Too much.').code).toEqualTypeOf<'QUOTA_EXCEEDED'>();
  });

  test('isCairnError narrows to the codes that were passed', () => {
    const error: unknown = new CairnError('A', 'An error.');
    if (isCairnError(error, 'A', 'B')) expectTypeOf(error.code).toEqualTypeOf<'A' | 'B'>();
    else expectTypeOf(error).toBeUnknown();
    if (isCairnError(error)) expectTypeOf(error.code).toEqualTypeOf<string>();
  });
});
