import { join } from 'node:path';
import { AuthModule, serviceSecrets } from '@cairn/auth/nest';
import {
  isLocalNetwork,
  isUpstreamNetwork,
  type LocalNetwork,
  openChainStore,
  type UpstreamNetwork,
} from '@cairn/chain-store';
import { CHAINS, ChainStoreModule, type Chains } from '@cairn/chain-store/nest';
import { errorChain } from '@cairn/errors';
import { EvmExecutorModule } from '@cairn/evm-executor/nest';
import { JsonrpcModule } from '@cairn/jsonrpc-core/nest';
import { MeteringModule } from '@cairn/metering/nest';
import { type Logger, RAW_HTTP, shareOf } from '@cairn/service-kit';
import { type ServiceContext, ServiceKitModule } from '@cairn/service-kit/nest';
import { openStores } from '@cairn/stores';
import { type DynamicModule, Module } from '@nestjs/common';
import type { Chain } from './chains/chain.ts';
import { ChainLifecycle, LOCAL_CHAINS } from './chains/chain-lifecycle.ts';
import { LocalChain } from './chains/local-chain.ts';
import { Networks } from './chains/networks.ts';
import { openUpstreamChain } from './chains/upstream/open-upstream-chain.ts';
import type { UpstreamChain } from './chains/upstream/upstream-chain.ts';
import { UPSTREAM_CHAINS, UpstreamLifecycle } from './chains/upstream/upstream-lifecycle.ts';
import { UpstreamReports } from './chains/upstream/upstream-reports.ts';
import { dispatcherOptions } from './dispatcher-options.ts';
import { divideCaches } from './methods/divided-cache.ts';
import { MethodCatalog } from './methods/method-catalog.ts';
import { MethodsModule } from './methods/methods.module.ts';
import { networksOf } from './networks-of.ts';
import { SharedPending } from './sending/shared-pending.ts';
import type { GatewaySettings } from './settings.ts';
import type { FilterStore } from './subscriptions/filter-store.ts';
import { GroupFilterStore } from './subscriptions/group-filter-store.ts';
import { MemoryFilterStore } from './subscriptions/memory-filter-store.ts';
import { ApiKeyGuard } from './transports/api-key-guard.ts';
import { GatewayServer } from './transports/gateway-server.ts';
import { HttpTransport } from './transports/http-transport.ts';
import { JsonRpcErrorFilter } from './transports/json-rpc-error-filter.ts';
import { MeteringInterceptor } from './transports/metering-interceptor.ts';
import { NetworkResolver } from './transports/network-resolver.ts';
import { ApiKeyWebSocketAdapter } from './transports/web-socket-adapter.ts';
import { JsonRpcWebSocketGateway } from './transports/web-socket-gateway.ts';

/**
 * Gas up to which a call runs on the event loop rather than in a worker: other requests wait at most a millisecond for it. A hand-over
 * costs 0.2 ms of CPU time. With a limit of 400,000, calls of 51,000, 119,000 and 318,000 gas take 85, 125 and 235 µs; in a worker
 * 305, 340 and 450 µs. But the slowest opcodes would then block other requests for more than ten milliseconds. A limit of
 * 0.5 ms instead of gas saved nothing beside other programs, whose time counts too: most calls were sent to a worker as well.
 */
const inlineGasMax = 25_000;

/** Composition root: the only place that chooses adapters. */
@Module({})
export class AppModule {
  static forRoot(this: void, context: ServiceContext<GatewaySettings>): DynamicModule {
    const { logger, settings, processes } = context;
    divideCaches(processes);
    return {
      module: AppModule,
      imports: [...storeModules(context), ...executionModules(context)],
      providers: [
        {
          provide: LOCAL_CHAINS,
          inject: [CHAINS],
          useFactory: (chains: Chains) => chains.map((chain) => localChain(chain, logger)),
        },
        { provide: UpstreamReports, useFactory: () => new UpstreamReports(logger) },
        {
          provide: UPSTREAM_CHAINS,
          inject: [UpstreamReports],
          useFactory: (reports: UpstreamReports) => upstreamChains(context, reports),
        },
        {
          provide: Networks,
          inject: [LOCAL_CHAINS, UPSTREAM_CHAINS],
          useFactory: (local: LocalChain[], upstream: UpstreamChain[]) =>
            new Networks(inFileOrder(settings, [...local, ...upstream])),
        },
        SharedPending,
        ChainLifecycle,
        UpstreamLifecycle,
        NetworkResolver,
        ApiKeyGuard,
        MeteringInterceptor,
        JsonRpcErrorFilter,
        HttpTransport,
        ApiKeyWebSocketAdapter,
        JsonRpcWebSocketGateway,
        { provide: RAW_HTTP, useClass: GatewayServer },
      ],
    };
  }
}

function localChain(chain: Chains[number], logger: Logger): LocalChain {
  const network = chain.network.name;
  return new LocalChain(chain, {
    onError: (error) => logger.error({ network, causes: errorChain(error) }, 'a new head cannot be announced'),
  });
}

function upstreamChains({ settings, logger, processes }: ServiceContext<GatewaySettings>, reports: UpstreamReports) {
  const options = {
    home: settings.CAIRN_HOME,
    cacheBytesMax: settings.CAIRN_UPSTREAM_CACHE_BYTES_MAX,
    reports,
    logger,
    processes,
  };
  const open = (network: UpstreamNetwork) => openUpstreamChain(network, options);
  return Promise.all(networksOf(settings).filter(isUpstreamNetwork).map(open));
}

/** Chains in the order of the file: its first network also serves loopback names. */
function inFileOrder(settings: GatewaySettings, chains: readonly Chain[]): readonly Chain[] {
  const names = networksOf(settings).map(({ name }) => name);
  return [...chains].sort((one, other) => names.indexOf(one.network.name) - names.indexOf(other.network.name));
}

/** Stores of accounts, limits and chains below CAIRN_HOME. */
function storeModules(context: ServiceContext<GatewaySettings>): DynamicModule[] {
  const { settings, logger, processes } = context;
  const stores = openStores(settings);
  const openChain = async (network: LocalNetwork) => ({
    network,
    store: await openChainStore({ directory: join(settings.CAIRN_HOME, 'chains', network.name) }),
  });
  return [
    ServiceKitModule.forRoot(context),
    AuthModule.forRootAsync({
      useFactory: stores.accounts,
      secrets: serviceSecrets(context),
    }),
    MeteringModule.forRootAsync({
      service: 'rpc-gateway',
      channel: processes,
      onError: (error) => logger.error({ causes: errorChain(error) }, 'limits or usage cannot be stored'),
      useFactory: stores.metering,
    }),
    ChainStoreModule.forRootAsync({
      useFactory: async (): Promise<Chains> =>
        await Promise.all(networksOf(settings).filter(isLocalNetwork).map(openChain)),
    }),
  ];
}

/** The worker pool, the methods and their dispatcher. {@link ChainLifecycle} starts the pool after the import. */
function executionModules({ settings, logger, processes }: ServiceContext<GatewaySettings>): DynamicModule[] {
  const timeoutMs = settings.CAIRN_CALL_TIMEOUT_MS;
  return [
    EvmExecutorModule.forRootAsync({
      useFactory: () => ({
        workers: shareOf(settings.CAIRN_CALL_WORKERS, processes),
        timeoutMs,
        queueMax: Math.floor(settings.CAIRN_CALL_QUEUE_MAX / processes.count),
        inlineGasMax,
        engine: settings.CAIRN_CALL_ENGINE,
      }),
    }),
    MethodsModule.forRoot({ timeoutMs, filterStore: () => openFilterStore({ settings, processes }) }),
    JsonrpcModule.forRootAsync({
      inject: [MethodCatalog],
      useFactory: ({ methods }: MethodCatalog) => dispatcherOptions({ methods, settings, logger }),
    }),
  ];
}

/** Filters are shared by all gateways through Redis, or without it by the processes of this gateway. */
async function openFilterStore({
  settings,
  processes,
}: Pick<ServiceContext<GatewaySettings>, 'settings' | 'processes'>): Promise<FilterStore> {
  const shared = await openStores(settings).redis();
  if (shared === undefined) return processes.count > 1 ? new GroupFilterStore(processes) : new MemoryFilterStore();
  const { RedisFilterStore } = await import('./subscriptions/redis-filter-store.ts');
  return new RedisFilterStore(shared);
}
