// Checked by the compiler: `typecheck` fails if one of these expectations is wrong.
import { describe, test } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import { type CID, type CodecName, cidFor, cidFromKeccak256, codecName } from './index.ts';

const bytes = new Uint8Array();

describe('types', () => {
  test('only names of known codecs are accepted', () => {
    expectTypeOf<'dag-pb' | 'eth-block'>().toExtend<CodecName>();
    expectTypeOf(codecName(0x70)).toEqualTypeOf<CodecName | undefined>();
    expectTypeOf(cidFor(bytes, { codec: 'raw' })).toEqualTypeOf<CID>();
    // @ts-expect-error: a misspelt codec.
    expectTypeOf(cidFor).toBeCallableWith(bytes, { codec: 'dag-bp' });
  });

  test('cidFromKeccak256 accepts only Ethereum codecs', () => {
    expectTypeOf(cidFromKeccak256).parameter(0).toExtend<`eth-${string}`>();
  });
});
