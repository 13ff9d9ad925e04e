import { type DynamicModule, type FactoryProvider, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { Blockstore } from '../blockstore.ts';
import type { CollectableBlockstore } from '../collectable.ts';

/** Token of the {@link Blockstore} for reads and writes, with the wrappers of the application. */
export const BLOCKSTORE = Symbol('BLOCKSTORE');
/** Token of the unwrapped {@link CollectableBlockstore}, for garbage collection, scrub and limits. */
export const COLLECTABLE = Symbol('COLLECTABLE');

export interface BlockstoreModuleOptions<Store extends CollectableBlockstore = CollectableBlockstore> {
  readonly inject?: FactoryProvider['inject'];
  /** Opens the store. The module closes it. */
  readonly useFactory: (...dependencies: never[]) => Promise<Store> | Store;
  /** Wraps the store, for example with verification, cache and metrics. Default: no wrapper. */
  readonly wrap?: (store: Store) => Blockstore;
}

/** Provides one block store to the whole application and closes it at shutdown. */
@Module({})
export class BlockstoreModule implements OnApplicationShutdown {
  constructor(@Inject(BLOCKSTORE) private readonly store: Blockstore) {}

  static forRootAsync<Store extends CollectableBlockstore>({
    inject,
    useFactory,
    wrap = (store) => store,
  }: BlockstoreModuleOptions<Store>): DynamicModule {
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
