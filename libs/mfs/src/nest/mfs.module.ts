import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { type DynamicModule, type FactoryProvider, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { ShardingOptions } from '../file-tree.ts';
import { Mfs } from '../mfs.ts';
import type { RootStore } from '../root-store.ts';

/** The token of the {@link RootStore}; it is what holds the trees of accounts for a collector of garbage. */
export const ROOT_STORE = Symbol('ROOT_STORE');

export interface MfsModuleOptions extends ShardingOptions {
  readonly inject?: FactoryProvider['inject'];
  /** Opens the records of roots. The module closes them. */
  readonly useFactory: (...dependencies: never[]) => Promise<RootStore> | RootStore;
}

/** Provides {@link Mfs} over the store of `BlockstoreModule`; closes the records of roots at shutdown. */
@Module({})
export class MfsModule implements OnApplicationShutdown {
  constructor(@Inject(ROOT_STORE) private readonly roots: RootStore) {}

  static forRootAsync({ inject, useFactory, ...sharding }: MfsModuleOptions): DynamicModule {
    return {
      module: MfsModule,
      global: true,
      providers: [
        { provide: ROOT_STORE, inject: inject ?? [], useFactory },
        {
          provide: Mfs,
          inject: [ROOT_STORE, BLOCKSTORE],
          useFactory: (roots: RootStore, blocks: Blockstore) => new Mfs({ roots, blocks, ...sharding }),
        },
      ],
      exports: [Mfs, ROOT_STORE],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.roots.close();
  }
}
