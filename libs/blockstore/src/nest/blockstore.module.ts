import { type DynamicModule, type FactoryProvider, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Blockstore } from '../blockstore.ts';

/** The token of the {@link Blockstore} that {@link BlockstoreModule} provides. */
export const BLOCKSTORE = Symbol('BLOCKSTORE');

export interface BlockstoreModuleOptions {
  readonly inject?: FactoryProvider['inject'];
  /** Opens the store, wrapped as the application wants it. The module closes it. */
  readonly useFactory: (...dependencies: never[]) => Promise<Blockstore> | Blockstore;
}

/** Provides one block store to the whole application and closes it at shutdown. */
@Module({})
export class BlockstoreModule implements OnApplicationShutdown {
  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  static forRootAsync({ inject, useFactory }: BlockstoreModuleOptions): DynamicModule {
    return {
      module: BlockstoreModule,
      global: true,
      providers: [{ provide: BLOCKSTORE, inject: inject ?? [], useFactory }],
      exports: [BLOCKSTORE],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}
