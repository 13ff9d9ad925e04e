// Checked by the compiler: `typecheck` fails if an assertion does not hold.
import { describe, test } from '@jest/globals';
import { expectTypeOf } from 'expect-type';
import type { CallHalt, CallResult, CallRevert } from './index.ts';
import type { CallJob, CallPool, ExecutionJob, ResultOf } from './pool/index.ts';

type JobOf<Kind> = Extract<ExecutionJob, { kind: Kind }>;

describe('types', () => {
  test('a pool returns the result type of each kind of job', () => {
    expectTypeOf<ResultOf<CallJob>>().toEqualTypeOf<CallResult>();
    expectTypeOf<ResultOf<JobOf<'estimateGas'>>['kind']>().toEqualTypeOf<
      'estimate' | CallRevert['kind'] | CallHalt['kind']
    >();
    expectTypeOf<ResultOf<JobOf<'traceBlock'>>>().toHaveProperty('json');
    expectTypeOf<CallPool['execute']>().returns.toExtend<Promise<unknown>>();
  });

  test('output exists only on success', () => {
    expectTypeOf<Extract<CallResult, { kind: 'success' }>>().toHaveProperty('output');
    expectTypeOf<CallHalt>().not.toHaveProperty('output');
    expectTypeOf<CallResult['gasUsed']>().toEqualTypeOf<bigint>();
  });
});
