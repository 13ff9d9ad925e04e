import { join } from 'node:path';
import { openLmdbAccountStore } from '@cairn/auth';
import { AuthModule, serviceSecrets } from '@cairn/auth/nest';
import { loadNetworks, openChainStore } from '@cairn/chain-store';
import { CHAINS, ChainStoreModule, type Chains } from '@cairn/chain-store/nest';
import { errorChain } from '@cairn/errors';
import { JsonrpcModule } from '@cairn/jsonrpc-core/nest';
import { openLmdbMeteringStores } from '@cairn/metering';
import { MeteringModule } from '@cairn/metering/nest';
import { RAW_HTTP, sampleNetworkFile } from '@cairn/service-kit';
import { type ServiceContext, ServiceKitModule } from '@cairn/service-kit/nest';
import { type DynamicModule, Module } from '@nestjs/common';
import { ChainRegistry } from './chains/chain-registry.ts';
import { dispatcherOptions } from './dispatcher-options.ts';
import type { GatewaySettings } from './settings.ts';
import { GatewayServer } from './transports/gateway-server.ts';
import { HttpTransport } from './transports/http-transport.ts';
import { WebSocketTransport } from './transports/web-socket-transport.ts';

/** The only place that chooses adapters. */
@Module({})
export class AppModule {
  static forRoot(this: void, context: ServiceContext<GatewaySettings>): DynamicModule {
    const { settings, logger } = context;
    const directory = (...names: readonly string[]) => ({ directory: join(settings.CAIRN_HOME, ...names) });
    return {
      module: AppModule,
      imports: [
        ServiceKitModule.forRoot(context),
        AuthModule.forRootAsync({
          useFactory: () => openLmdbAccountStore(directory('accounts')),
          secrets: serviceSecrets(context),
        }),
        MeteringModule.forRootAsync({
          service: 'rpc-gateway',
          onError: (error) => logger.error({ causes: errorChain(error) }, 'limits or usage cannot be kept'),
          useFactory: () =>
            openLmdbMeteringStores({
              accounts: directory('accounts').directory,
              limits: directory('limits').directory,
            }),
        }),
        ChainStoreModule.forRootAsync({
          useFactory: async (): Promise<Chains> => {
            const networks = loadNetworks(
              settings.CAIRN_NETWORKS ?? sampleNetworkFile(import.meta.url, 'networks.json'),
            );
            return await Promise.all(
              networks.map(async (network) => ({
                network,
                store: await openChainStore(directory('chains', network.name)),
              })),
            );
          },
        }),
        JsonrpcModule.forRootAsync({ useFactory: () => dispatcherOptions({ settings, logger }) }),
      ],
      providers: [
        {
          provide: ChainRegistry,
          inject: [CHAINS],
          useFactory: (chains: Chains) => new ChainRegistry(chains, settings, logger),
        },
        HttpTransport,
        WebSocketTransport,
        { provide: RAW_HTTP, useClass: GatewayServer },
      ],
    };
  }
}
