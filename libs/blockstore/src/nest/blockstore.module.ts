import { type DynamicModule, type FactoryProvider, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Blockstore } from '../blockstore.ts';
import type { CollectableBlockstore } from '../collectable.ts';

/** The token of the {@link Blockstore} to read and write through, wrapped as the application wants it. */
export const BLOCKSTORE = Symbol('BLOCKSTORE');
/** The token of the {@link CollectableBlockstore} beneath: for collecting, scrubbing and limits. */
export const COLLECTABLE = Symbol('COLLECTABLE');

export interface BlockstoreModuleOptions {
  readonly inject?: FactoryProvider['inject'];
  /** Opens the store. The module closes it. */
  readonly useFactory: (...dependencies: never[]) => Promise<CollectableBlockstore> | CollectableBlockstore;
  /** Puts verification, cache and metrics around it. Default: the store as it is. */
  readonly wrap?: (store: CollectableBlockstore) => Blockstore;
}

/** Provides one block store to the whole application and closes it at shutdown. */
@Module({})
export class BlockstoreModule implements OnApplicationShutdown {
  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  static forRootAsync({ inject, useFactory, wrap = (store) => store }: BlockstoreModuleOptions): DynamicModule {
    return {
      module: BlockstoreModule,
      global: true,
      providers: [
        { provide: COLLECTABLE, inject: inject ?? [], useFactory },
        { provide: BLOCKSTORE, inject: [COLLECTABLE], useFactory: wrap },
      ],
      exports: [BLOCKSTORE, COLLECTABLE],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.store.close();
  }
}
