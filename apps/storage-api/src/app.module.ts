import { Auth } from '@cairn/auth';
import { AuthModule, serviceSecrets } from '@cairn/auth/nest';
import { type Blockstore, createSharedVerifier, withCache, withVerification, withYielding } from '@cairn/blockstore';
import { BLOCKSTORE, BlockstoreModule } from '@cairn/blockstore/nest';
import { errorChain } from '@cairn/errors';
import { DnslinkResolver, type NameStore, RecordSource, routingKeyOf } from '@cairn/ipns';
import { MeteringModule } from '@cairn/metering/nest';
import { MfsModule, ROOT_STORE } from '@cairn/mfs/nest';
import { type PeerApi, peerAudience } from '@cairn/peer-api';
import { PEER_API, PeerApiModule } from '@cairn/peer-api/nest';
import { Pinning } from '@cairn/pinning';
import { PinningModule } from '@cairn/pinning/nest';
import { RAW_HTTP, shareOf } from '@cairn/service-kit';
import { type ServiceContext, ServiceKitModule } from '@cairn/service-kit/nest';
import { openStores } from '@cairn/stores';
import { type DynamicModule, Module } from '@nestjs/common';
import { SmallAdd } from './api-v0/add/small-add.ts';
import { ApiKeyGuard } from './api-v0/api-key-guard.ts';
import { ApiV0Server } from './api-v0/api-v0-server.ts';
import { COMMANDS, type Command } from './api-v0/command.ts';
import { commands, withListing } from './api-v0/commands.ts';
import { ConfigReader } from './api-v0/config/config.command.ts';
import { Files } from './api-v0/files/files.ts';
import { KuboErrorFilter } from './api-v0/kubo-error-filter.ts';
import { MeteringInterceptor } from './api-v0/metering-interceptor.ts';
import { AccountNames } from './api-v0/names/account-names.ts';
import { KeyGenerator } from './api-v0/names/key-generator.ts';
import { AccountRecords } from './api-v0/names/name-records.ts';
import { NameSchedule } from './api-v0/names/name-schedule.ts';
import { NAME_STORE } from './api-v0/names/name-store.token.ts';
import { shardingOf } from './api-v0/naming.ts';
import { PeerIdentity } from './api-v0/node/peer-identity.ts';
import { NetworkPermits } from './api-v0/peer/network-permits.ts';
import { SmallCat } from './api-v0/read/small-cat.ts';
import { RetainedRoots } from './api-v0/retained-roots.ts';
import { SmallRequests } from './api-v0/small-requests.ts';
import { StorageState } from './api-v0/storage-state.ts';
import { Uploads } from './api-v0/uploads.ts';
import { withDenials } from './api-v0/with-denials.ts';
import { withWork } from './api-v0/with-work.ts';
import { WriteSessions } from './api-v0/write-sessions.ts';
import { CodecPool } from './codec-pool/codec-pool.ts';
import { DeniedContent } from './denied-content.ts';
import { FailedWriteCleaner } from './failed-write-cleaner.ts';
import { Network } from './network/network.ts';
import { PeerConnection } from './network/peer-connection.ts';
import { RootReports } from './network/root-reports.ts';
import { PinQueueRunner } from './psa/pin-queue-runner.ts';
import { PIN_REQUEST_STORE } from './psa/pin-request-store.token.ts';
import { PinRequests } from './psa/pin-requests.ts';
import { PsaServer } from './psa/psa-server.ts';
import { SecretResealer } from './psa/secret-resealer.ts';
import { WebhookRunner } from './psa/webhook-runner.ts';
import { Webhooks } from './psa/webhooks.ts';
import type { StorageSettings } from './settings.ts';
import { StoreMaintenance } from './store-maintenance.ts';
import { verificationKey } from './verification-key.ts';

const MiB = 1024 * 1024;

/** Composition root: the only place that chooses wrappers and modules. */
@Module({})
export class AppModule {
  static forRoot(this: void, context: ServiceContext<StorageSettings>): DynamicModule {
    const { settings, logger, processes } = context;
    const stores = openStores(settings);
    const network = new Network({ isRemote: settings.IPFS_PEER_URL !== undefined });
    const verify = createSharedVerifier(processes, { key: () => verificationKey.of(processes) });
    const rootReports = new RootReports();
    const { STORAGE_BYTES_MAX: bytesMax, STORAGE_DISK_RESERVE_BYTES: diskReserveBytes } = settings;
    return {
      module: AppModule,
      imports: [
        ServiceKitModule.forRoot(context),
        AuthModule.forRootAsync({
          useFactory: stores.accounts,
          secrets: serviceSecrets(context),
        }),
        MeteringModule.forRootAsync({
          service: 'storage-api',
          channel: processes,
          onError: (error) => logger.error({ causes: errorChain(error) }, 'limits or usage cannot be stored'),
          useFactory: stores.metering,
        }),
        BlockstoreModule.forRootAsync({
          useFactory: () =>
            stores.blocks({ pendingBytesMax: 8 * MiB, channel: processes, bytesMax, diskReserveBytes, verify }),
          wrap: (store) =>
            withDenials(
              withWork(
                withYielding(
                  network.wrap(
                    withCache(withVerification(store, { quarantine: store, verify }), {
                      bytesMax: shareOf(64 * MiB, processes),
                      removals: store,
                      ageMsMax: stores.foreignRemovalMs,
                    }),
                    () => store.fullness(),
                  ),
                ),
              ),
            ),
        }),
        MfsModule.forRootAsync({ useFactory: stores.files, ...shardingOf(settings) }),
        PinningModule.forRootAsync({
          useFactory: async () => rootReports.wrap(await stores.pins()),
          sources: [ROOT_STORE],
          graceSeconds: settings.STORAGE_GC_GRACE_SECONDS,
        }),
        PeerApiModule.forRootAsync({
          url: settings.IPFS_PEER_URL,
          inject: [Auth],
          useFactory: (auth: Auth) => ({ token: () => auth.serviceToken(peerAudience) }),
        }),
      ],
      providers: [
        { provide: DeniedContent, useFactory: () => DeniedContent.open(context) },
        { provide: CodecPool, useFactory: () => new CodecPool({ processes }) },
        RetainedRoots,
        FailedWriteCleaner,
        PeerIdentity,
        StoreMaintenance,
        ApiKeyGuard,
        SmallRequests,
        SmallCat,
        SmallAdd,
        MeteringInterceptor,
        KuboErrorFilter,
        WriteSessions,
        Uploads,
        StorageState,
        Files,
        { provide: PIN_REQUEST_STORE, useFactory: stores.pinRequests },
        { provide: Network, useValue: network },
        { provide: RootReports, useValue: rootReports },
        PeerConnection,
        { provide: NAME_STORE, useFactory: stores.names },
        {
          provide: DnslinkResolver,
          useFactory: () => new DnslinkResolver({ map: settings.IPFS_NS_MAP, channel: processes }),
        },
        {
          provide: RecordSource,
          inject: [NAME_STORE, PEER_API],
          useFactory: ({ records }: NameStore, peer: PeerApi | undefined) =>
            new RecordSource({
              records,
              channel: processes,
              findInNetwork: peer && ((name, signal) => peer.routing.get(routingKeyOf(name), { signal })),
            }),
        },
        AccountNames,
        AccountRecords,
        KeyGenerator,
        NameSchedule,
        PinQueueRunner,
        PinRequests,
        Webhooks,
        WebhookRunner,
        SecretResealer,
        PsaServer,
        ...commands,
        NetworkPermits,
        ConfigReader,
        {
          provide: COMMANDS,
          inject: [PEER_API, Pinning, BLOCKSTORE, NetworkPermits, ...commands],
          useFactory: (
            peer: PeerApi | undefined,
            pinning: Pinning,
            store: Blockstore,
            permits: NetworkPermits,
            ...working: Command[]
          ) => withListing(working, { peer, pinning, store, permits }),
        },
        { provide: RAW_HTTP, useClass: ApiV0Server },
      ],
    };
  }
}
