import { CallPool } from '@cairn/evm-executor/pool';
import { type DynamicModule, Module } from '@nestjs/common';
import { PendingRegistry } from '../sending/pending-transactions.ts';
import { SentTransactions } from '../sending/sent-transactions.ts';
import { TransactionSender } from '../sending/transaction-sender.ts';
import { FilterRegistry } from '../subscriptions/filter-registry.ts';
import { CallExecutor } from './execution/call-executor.ts';
import { MethodCatalog } from './method-catalog.ts';

/** Provides the {@link MethodCatalog} with the services that its methods use. */
@Module({})
export class MethodsModule {
  static forRoot({ timeoutMs }: { readonly timeoutMs: number }): DynamicModule {
    return {
      module: MethodsModule,
      global: true,
      providers: [
        {
          provide: CallExecutor,
          inject: [CallPool],
          useFactory: (pool: CallPool) => new CallExecutor(pool, { timeoutMs }),
        },
        PendingRegistry,
        {
          provide: FilterRegistry,
          inject: [PendingRegistry],
          useFactory: (pending: PendingRegistry) => new FilterRegistry(pending),
        },
        {
          provide: MethodCatalog,
          inject: [CallExecutor, FilterRegistry, PendingRegistry],
          useFactory(executor: CallExecutor, filters: FilterRegistry, pending: PendingRegistry) {
            const sent = new SentTransactions((chain, transaction) => pending.of(chain).sent(transaction));
            const sender = new TransactionSender({ executor, sent });
            return new MethodCatalog({ executor, filters, sender });
          },
        },
      ],
      exports: [MethodCatalog, PendingRegistry],
    };
  }
}
