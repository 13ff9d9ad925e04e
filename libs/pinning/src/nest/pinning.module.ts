import type { Blockstore } from '@cairn/blockstore';
import { BLOCKSTORE } from '@cairn/blockstore/nest';
import { type DynamicModule, type FactoryProvider, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { PinStore } from '../pin-store.ts';
import { Pinning } from '../pinning.ts';

/** The token of the {@link PinStore}. */
export const PIN_STORE = Symbol('PIN_STORE');
/** The token of {@link Pinning}. */
export const PINNING = Symbol('PINNING');

export interface PinningModuleOptions {
  readonly inject?: FactoryProvider['inject'];
  /** Opens the records of pins. The module closes them. */
  readonly useFactory: (...dependencies: never[]) => Promise<PinStore> | PinStore;
}

/** Provides {@link Pinning} over the store of `BlockstoreModule` and closes its records at shutdown. */
@Module({})
export class PinningModule implements OnApplicationShutdown {
  constructor(@Inject(PIN_STORE) private readonly pins: PinStore) {}

  static forRootAsync({ inject, useFactory }: PinningModuleOptions): DynamicModule {
    return {
      module: PinningModule,
      global: true,
      providers: [
        { provide: PIN_STORE, inject: inject ?? [], useFactory },
        {
          provide: PINNING,
          inject: [PIN_STORE, BLOCKSTORE],
          useFactory: (pins: PinStore, blocks: Blockstore) => new Pinning({ pins, blocks }),
        },
      ],
      exports: [PINNING, PIN_STORE],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.pins.close();
  }
}
