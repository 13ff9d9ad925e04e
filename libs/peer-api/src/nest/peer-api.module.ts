import { type DynamicModule, type FactoryProvider, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import { openPeerClient, type PeerClientOptions } from '../client/open-peer-client.ts';
import type { PeerApi } from '../peer-api.ts';

/** Token of the {@link PeerApi}; undefined in a deployment without an IPFS peer. */
export const PEER_API = Symbol('PEER_API');

export interface PeerApiModuleOptions {
  /** Address of the peer process. Undefined: {@link PEER_API} is undefined. */
  readonly url: string | undefined;
  readonly inject?: FactoryProvider['inject'];
  /** Returns the source of tokens. */
  readonly useFactory: (...dependencies: never[]) => Omit<PeerClientOptions, 'url'>;
}

/** Provides the {@link PeerApi} to the whole application and closes it at shutdown. */
@Module({})
export class PeerApiModule implements OnApplicationShutdown {
  constructor(@Inject(PEER_API) private readonly api: PeerApi | undefined) {}

  static forRootAsync({ url, inject, useFactory }: PeerApiModuleOptions): DynamicModule {
    const create = (...dependencies: never[]) =>
      url === undefined ? undefined : openPeerClient({ url, ...useFactory(...dependencies) });
    return {
      module: PeerApiModule,
      global: true,
      providers: [{ provide: PEER_API, inject: inject ?? [], useFactory: create }],
      exports: [PEER_API],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.api?.close();
  }
}
