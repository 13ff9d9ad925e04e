import type { CallPool } from '@cairn/evm-executor/pool';
import { FilterRegistry } from '../subscriptions/filter-registry.ts';
import { CallExecutor } from './execution/call-executor.ts';
import { MethodCatalog } from './method-catalog.ts';

/** A catalog whose methods are described and authorized, but not executed. */
export function describedMethods(): MethodCatalog {
  const pool = {} as CallPool;
  return new MethodCatalog({ executor: new CallExecutor(pool, { timeoutMs: 1 }), filters: new FilterRegistry() });
}
