import { Auth } from '@cairn/auth';
import { AuthModule, serviceSecrets } from '@cairn/auth/nest';
import { createSharedVerifier, withCache, withVerification, withYielding } from '@cairn/blockstore';
import { BlockstoreModule } from '@cairn/blockstore/nest';
import { errorChain } from '@cairn/errors';
import { DnslinkResolver, type NameStore, RecordSource, routingKeyOf } from '@cairn/ipns';
import { MeteringModule } from '@cairn/metering/nest';
import { type PeerApi, peerAudience } from '@cairn/peer-api';
import { PEER_API, PeerApiModule } from '@cairn/peer-api/nest';
import { RAW_HTTP, shareOf } from '@cairn/service-kit';
import { type ServiceContext, ServiceKitModule } from '@cairn/service-kit/nest';
import { openStores } from '@cairn/stores';
import { type DynamicModule, Module } from '@nestjs/common';
import { ContentAccess } from './content-access.ts';
import { ContentPolicy } from './content-policy.ts';
import { DedicatedHosts } from './dedicated-hosts.ts';
import { GatewayServer } from './gateway-server.ts';
import { OpenBodies } from './open-bodies.ts';
import { PINS } from './pins.token.ts';
import { PROVIDE_STORE, RoutingV1 } from './routing-v1.ts';
import type { IpfsGatewaySettings } from './settings.ts';
import { NAME_STORE, StoredNames } from './stored-names.ts';
import { verificationKey } from './verification-key.ts';
import { withSharedReads } from './with-shared-reads.ts';

const MiB = 1024 * 1024;

/** Composition root: the only place that chooses wrappers and modules. */
@Module({})
export class AppModule {
  static forRoot(this: void, context: ServiceContext<IpfsGatewaySettings>): DynamicModule {
    const { settings, logger, processes } = context;
    const stores = openStores(settings);
    const bodies = new OpenBodies();
    const verify = createSharedVerifier(processes, { key: () => verificationKey.of(processes) });
    return {
      module: AppModule,
      imports: [
        ServiceKitModule.forRoot(context),
        AuthModule.forRootAsync({ useFactory: stores.accounts, secrets: serviceSecrets(context) }),
        MeteringModule.forRootAsync({
          service: 'ipfs-gateway',
          channel: processes,
          onError: (error) => logger.error({ causes: errorChain(error) }, 'limits or usage cannot be stored'),
          useFactory: stores.metering,
        }),
        BlockstoreModule.forRootAsync({
          useFactory: () => stores.blocks({ channel: processes, verify }),
          wrap: (store) =>
            withYielding(
              withCache(
                withSharedReads(withVerification(store, { quarantine: store, verify }), {
                  removals: store,
                  isSharing: () => bodies.areMany,
                }),
                {
                  bytesMax: shareOf(64 * MiB, processes),
                  removals: store,
                  ageMsMax: stores.foreignRemovalMs,
                },
              ),
            ),
        }),
        PeerApiModule.forRootAsync({
          url: settings.IPFS_PEER_URL,
          inject: [Auth],
          useFactory: (auth: Auth) => ({ token: () => auth.serviceToken(peerAudience) }),
        }),
      ],
      providers: [
        ContentAccess,
        { provide: OpenBodies, useValue: bodies },
        { provide: PINS, useFactory: stores.pins },
        {
          provide: DedicatedHosts,
          useFactory: async () =>
            DedicatedHosts.open(await stores.gatewayHosts(), {
              shared: settings.IPFS_GATEWAY_HOSTS.split(',').map((host) => ({ host, inlinesDnslink: true })),
              onError: (error) => logger.error({ causes: errorChain(error) }, 'dedicated hosts cannot be read'),
              processes,
            }),
        },
        { provide: ContentPolicy, useFactory: () => ContentPolicy.open(context) },
        {
          provide: DnslinkResolver,
          useFactory: () => new DnslinkResolver({ map: settings.IPFS_NS_MAP, channel: processes }),
        },
        { provide: NAME_STORE, useFactory: stores.names },
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
        StoredNames,
        { provide: PROVIDE_STORE, useFactory: stores.providing },
        RoutingV1,
        { provide: RAW_HTTP, useClass: GatewayServer },
      ],
    };
  }
}
