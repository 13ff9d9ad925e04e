import type { Blockstore, Collectable } from '@cairn/blockstore';
import { BLOCKSTORE, COLLECTABLE } from '@cairn/blockstore/nest';
import {
  type DynamicModule,
  type FactoryProvider,
  Inject,
  type InjectionToken,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { Collector } from '../collector.ts';
import type { PinStore } from '../pin-store.ts';
import { Pinning } from '../pinning.ts';
import type { RootSource } from '../root-source.ts';

/** Token of the {@link PinStore}. */
export const PIN_STORE = Symbol('PIN_STORE');

export interface PinningModuleOptions {
  readonly inject?: FactoryProvider['inject'];
  /** Opens the pin store. The module closes it. */
  readonly useFactory: (...dependencies: never[]) => Promise<PinStore> | PinStore;
  /** Tokens of {@link RootSource}s, which retain DAGs in addition to pins. */
  readonly sources?: readonly InjectionToken[];
  /** See `CollectorOptions`. */
  readonly graceSeconds?: number;
}

/** Provides {@link Pinning} and {@link Collector} over the store of `BlockstoreModule`. Closes the pin store at shutdown. */
@Module({})
export class PinningModule implements OnApplicationShutdown {
  constructor(@Inject(PIN_STORE) private readonly pins: PinStore) {}

  static forRootAsync({ inject, useFactory, sources = [], graceSeconds }: PinningModuleOptions): DynamicModule {
    const stores = [PIN_STORE, BLOCKSTORE, COLLECTABLE, ...sources];
    return {
      module: PinningModule,
      global: true,
      providers: [
        { provide: PIN_STORE, inject: inject ?? [], useFactory },
        {
          provide: Pinning,
          inject: stores,
          useFactory: (pins: PinStore, blocks: Blockstore, collectable: Collectable, ...others: RootSource[]) =>
            new Pinning({ pins, blocks, collectable, sources: others }),
        },
        {
          provide: Collector,
          inject: stores,
          useFactory: (pins: PinStore, blocks: Blockstore, collectable: Collectable, ...others: RootSource[]) =>
            new Collector({
              pins,
              blocks,
              collectable,
              sources: others,
              ...(graceSeconds !== undefined && { graceSeconds }),
            }),
        },
      ],
      exports: [Pinning, PIN_STORE, Collector],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pins.close();
  }
}
