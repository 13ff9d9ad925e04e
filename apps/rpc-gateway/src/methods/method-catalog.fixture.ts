import type { CallPool } from '@cairn/evm-executor/pool';
import { SentTransactions } from '../sending/sent-transactions.ts';
import { TransactionSender } from '../sending/transaction-sender.ts';
import { FilterRegistry } from '../subscriptions/filter-registry.ts';
import { CallExecutor } from './execution/call-executor.ts';
import { MethodCatalog } from './method-catalog.ts';

/** A catalog whose methods are described and authorized, but not executed. */
export function describedMethods(): MethodCatalog {
  const pool = {} as CallPool;
  const executor = new CallExecutor(pool, { timeoutMs: 1 });
  const sender = new TransactionSender({ executor, sent: new SentTransactions() });
  return new MethodCatalog({ executor, filters: new FilterRegistry(), sender });
}
