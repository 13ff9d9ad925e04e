// Held by the compiler: `typecheck` fails where one of these is not so.
import { describe, test } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import type { CallHalt, CallResult, CallRevert } from './index.ts';
import type { CallJob, CallPool, ExecutionJob, ResultOf } from './pool/index.ts';

type JobOf<Kind> = Extract<ExecutionJob, { kind: Kind }>;

describe('types', () => {
  test('a pool answers each job with what its kind comes to', () => {
    expectTypeOf<ResultOf<CallJob>>().toEqualTypeOf<CallResult>();
    expectTypeOf<ResultOf<JobOf<'estimateGas'>>['kind']>().toEqualTypeOf<
      'estimate' | CallRevert['kind'] | CallHalt['kind']
    >();
    expectTypeOf<ResultOf<JobOf<'traceBlock'>>>().toHaveProperty('json');
    expectTypeOf<CallPool['execute']>().returns.toExtend<Promise<unknown>>();
  });

  test('output and gas are there only where a call came so far', () => {
    expectTypeOf<Extract<CallResult, { kind: 'success' }>>().toHaveProperty('output');
    expectTypeOf<CallHalt>().not.toHaveProperty('output');
    expectTypeOf<CallResult['gasUsed']>().toEqualTypeOf<bigint>();
  });
});
