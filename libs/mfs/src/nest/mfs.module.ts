import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { type DynamicModule, type FactoryProvider, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { ShardingOptions } from '../file-tree.ts';
import { Mfs } from '../mfs.ts';
import type { RootStore } from '../root-store.ts';

/** Injection token of the {@link RootStore}, the source of live roots of file trees for a garbage collector. */
export const ROOT_STORE = Symbol('ROOT_STORE');

export interface MfsModuleOptions extends ShardingOptions {
  readonly inject?: FactoryProvider['inject'];
  /** Opens the root store. The module closes it. */
  readonly useFactory: (...dependencies: never[]) => Promise<RootStore> | RootStore;
}

/** Provides {@link Mfs} over the store of `BlockstoreModule`, and closes the root store at shutdown. */
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
