import { singleProcess } from '@cairn/service-kit';
import { expect, test } from '@jest/globals';
import { ChainLifecycle } from './chain-lifecycle.ts';

type Parameters = ConstructorParameters<typeof ChainLifecycle>;

test('a gateway without imported networks reports the start of its workers, not an import', () => {
  const pool = { start: () => new Promise(() => {}) } as unknown as Parameters[2];
  const lifecycle = new ChainLifecycle([], [], pool, {} as Parameters[3], singleProcess, {} as Parameters[5]);
  lifecycle.onApplicationBootstrap();
  expect(lifecycle.notReady).toBe('the call workers are starting');
});
