import { type DynamicModule, type FactoryProvider, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { createCallPool } from '../pool/call-pool.ts';
import type { CallPoolOptions } from '../pool/call-pool-options.ts';
import type { CallPool } from '../pool/call-pool-types.ts';

/** The token of the {@link CallPool}. */
export const CALL_POOL = Symbol('CALL_POOL');

export interface EvmExecutorModuleOptions {
  readonly inject?: FactoryProvider['inject'];
  /** What the pool is made from. The module starts it, and closes it at shutdown. */
  readonly useFactory: (...dependencies: never[]) => Promise<CallPoolOptions> | CallPoolOptions;
}

/** Provides one pool of workers to the whole application; at shutdown, calls that are in are run to their end. */
@Module({})
export class EvmExecutorModule implements OnApplicationShutdown {
  constructor(@Inject(CALL_POOL) private readonly pool: CallPool) {}

  static forRootAsync({ inject, useFactory }: EvmExecutorModuleOptions): DynamicModule {
    return {
      module: EvmExecutorModule,
      global: true,
      providers: [
        {
          provide: CALL_POOL,
          inject: inject ?? [],
          useFactory: async (...dependencies: never[]) => createCallPool(await useFactory(...dependencies)),
        },
      ],
      exports: [CALL_POOL],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pool.close();
  }
}
