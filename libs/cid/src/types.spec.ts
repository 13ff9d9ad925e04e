// Held by the compiler: `typecheck` fails where one of these is not so.
import { describe, test } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import { type CID, type CodecName, cidFor, cidFromKeccak256, codecName } from './index.ts';

const bytes = new Uint8Array();

describe('types', () => {
  test('codecs are named, and no name but theirs is taken', () => {
    expectTypeOf<'dag-pb' | 'eth-block'>().toExtend<CodecName>();
    expectTypeOf(codecName(0x70)).toEqualTypeOf<CodecName | undefined>();
    expectTypeOf(cidFor(bytes, { codec: 'raw' })).toEqualTypeOf<CID>();
    // @ts-expect-error: a misspelt codec.
    expectTypeOf(cidFor).toBeCallableWith(bytes, { codec: 'dag-bp' });
  });

  test('keccak-256 names are of Ethereum', () => {
    expectTypeOf(cidFromKeccak256).parameter(0).toExtend<`eth-${string}`>();
  });
});
