import { type DynamicModule, type FactoryProvider, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { ChainStore } from '../chain-store.ts';
import type { LocalNetwork } from '../networks.ts';

/** The networks of an application with their stores, in the order of the list. */
export type Chains = readonly { readonly network: LocalNetwork; readonly store: ChainStore }[];

/** The token of {@link Chains}. */
export const CHAINS = Symbol('CHAINS');

export interface ChainStoreModuleOptions {
  readonly inject?: FactoryProvider['inject'];
  /** Opens the chains. The module closes them. */
  readonly useFactory: (...dependencies: never[]) => Promise<Chains> | Chains;
}

/** Provides the chains to the whole application and closes them at shutdown. */
@Module({})
export class ChainStoreModule implements OnApplicationShutdown {
  constructor(@Inject(CHAINS) private readonly chains: Chains) {}

  static forRootAsync({ inject, useFactory }: ChainStoreModuleOptions): DynamicModule {
    return {
      module: ChainStoreModule,
      global: true,
      providers: [{ provide: CHAINS, inject: inject ?? [], useFactory }],
      exports: [CHAINS],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    for (const { store } of this.chains) await store.close();
  }
}
