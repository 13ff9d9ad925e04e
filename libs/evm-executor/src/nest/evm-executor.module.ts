import { type DynamicModule, type FactoryProvider, Module, type OnApplicationShutdown } from '@nestjs/common';
import { CallPool } from '../pool/call-pool.ts';
import type { CallPoolOptions } from '../pool/call-pool-options.ts';
import { DeferredCallPool } from '../pool/deferred-call-pool.ts';

/** Options of the pool. With `chains`, the application starts when the workers are ready; without, see {@link DeferredCallPool}. */
export type EvmExecutorOptions = Omit<CallPoolOptions, 'chains'> & Partial<Pick<CallPoolOptions, 'chains'>>;

export interface EvmExecutorModuleOptions {
  readonly inject?: FactoryProvider['inject'];
  /** Returns the options of the pool. The module creates the pool and closes it at shutdown. */
  readonly useFactory: (...dependencies: never[]) => Promise<EvmExecutorOptions> | EvmExecutorOptions;
}

/**
 * Provides one pool of workers to the whole application. Inject {@link CallPool} to execute jobs. An application that knows its
 * chains only after it has started injects {@link DeferredCallPool} where it calls `start`. Shutdown waits for queued and running jobs.
 */
@Module({})
export class EvmExecutorModule implements OnApplicationShutdown {
  constructor(private readonly pool: CallPool) {}

  static forRootAsync({ inject, useFactory }: EvmExecutorModuleOptions): DynamicModule {
    return {
      module: EvmExecutorModule,
      global: true,
      providers: [
        {
          provide: DeferredCallPool,
          inject: inject ?? [],
          useFactory: async (...dependencies: never[]) => {
            const { chains, ...options } = await useFactory(...dependencies);
            const pool = new DeferredCallPool(options);
            if (chains !== undefined) await pool.start(chains);
            return pool;
          },
        },
        { provide: CallPool, useExisting: DeferredCallPool },
      ],
      exports: [CallPool, DeferredCallPool],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }
}
