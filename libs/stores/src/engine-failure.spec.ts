import { CairnError } from '@cairn/errors';
import { expect, test } from '@jest/globals';
import { engineFailureOf } from './index.ts';

test.each([
  ['POSTGRES_UNAVAILABLE', 'away', 503, 1],
  ['POSTGRES_BUSY', 'away', 503, 1],
  ['OBJECT_STORE_UNAVAILABLE', 'away', 503, 1],
  ['REDIS_UNAVAILABLE', 'away', 503, 1],
  ['POSTGRES_OUTCOME_UNKNOWN', 'unknown', 500, undefined],
  ['POSTGRES_REFUSED', 'fault', 500, undefined],
  ['OBJECT_STORE_DENIED', 'fault', 500, undefined],
  ['OBJECT_STORE_FULL', 'full', 507, undefined],
  ['OBJECT_NOT_FOUND', 'fault', 500, undefined],
  ['OBJECT_CHECKSUM_MISMATCH', 'away', 503, 1],
] as const)('%s is %s with status %i', (code, kind, status, retryAfterSeconds) => {
  const failure = engineFailureOf(new CairnError(code, 'db.internal'));
  expect(failure).toMatchObject({ kind, status });
  expect(failure?.retryAfterSeconds).toBe(retryAfterSeconds);
  expect(JSON.stringify(failure)).not.toContain('db.internal');
});

test('a pause that the engine asks for is rounded up to whole seconds', () => {
  const busy = (retryAfterSeconds: unknown) =>
    new CairnError('OBJECT_STORE_BUSY', 'slow', { details: { retryAfterSeconds } });
  expect(engineFailureOf(busy(2.2))?.retryAfterSeconds).toBe(3);
  expect(engineFailureOf(busy('soon'))?.retryAfterSeconds).toBe(1);
});

test('other errors are not failures of an engine', () => {
  for (const error of [
    new CairnError('constructor', ''),
    new CairnError('PIN_NOT_FOUND', ''),
    new Error('x'),
    undefined,
  ])
    expect(engineFailureOf(error)).toBeUndefined();
});
