import { CallPool } from '@cairn/evm-executor/pool';
import { type DynamicModule, Module } from '@nestjs/common';
import { PendingRegistry } from '../sending/pending-transactions.ts';
import { SentTransactions } from '../sending/sent-transactions.ts';
import { TransactionSender } from '../sending/transaction-sender.ts';
import { FilterRegistry } from '../subscriptions/filter-registry.ts';
import type { FilterStore } from '../subscriptions/filter-store.ts';
import { CallExecutor } from './execution/call-executor.ts';
import { MethodCatalog } from './method-catalog.ts';

export interface MethodsModuleOptions {
  readonly timeoutMs: number;
  /** Opens the store of filters. */
  readonly filterStore: () => Promise<FilterStore>;
}

/** Provides the {@link MethodCatalog} with the services that its methods use. */
@Module({})
export class MethodsModule {
  static forRoot({ timeoutMs, filterStore }: MethodsModuleOptions): DynamicModule {
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
        SentTransactions,
        {
          provide: FilterRegistry,
          inject: [PendingRegistry],
          useFactory: async (pending: PendingRegistry) => new FilterRegistry(pending, await filterStore()),
        },
        {
          provide: MethodCatalog,
          inject: [CallExecutor, FilterRegistry, SentTransactions],
          useFactory(executor: CallExecutor, filters: FilterRegistry, sent: SentTransactions) {
            const sender = new TransactionSender({ executor, sent });
            return new MethodCatalog({ executor, filters, sender });
          },
        },
      ],
      exports: [MethodCatalog, PendingRegistry, SentTransactions],
    };
  }
}
