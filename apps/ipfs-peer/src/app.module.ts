import { Auth } from '@cairn/auth';
import { AuthModule, serviceSecrets } from '@cairn/auth/nest';
import type { CollectableBlockstore } from '@cairn/blockstore';
import { BlockstoreModule, COLLECTABLE } from '@cairn/blockstore/nest';
import { RAW_HTTP } from '@cairn/service-kit';
import { type ServiceContext, ServiceKitModule } from '@cairn/service-kit/nest';
import { openStores } from '@cairn/stores';
import { type DynamicModule, Module } from '@nestjs/common';
import { ContentPolicy } from './content-policy.ts';
import { startPeer } from './peer-process.ts';
import { PeerServer } from './peer-server.ts';
import { openServing, type Serving } from './serving.ts';
import type { IpfsPeerSettings } from './settings.ts';
import { IPFS_PEER, SERVING } from './tokens.ts';

/** Fetched bytes that wait for the disk. A commit takes up to a second on a busy disk, during which blocks arrive. */
const pendingBytesMax = 32 * 1024 * 1024;

/** Composition root: the only place that chooses wrappers and modules. */
@Module({})
export class AppModule {
  static forRoot(this: void, context: ServiceContext<IpfsPeerSettings>): DynamicModule {
    const { settings, logger } = context;
    const stores = openStores(settings);
    return {
      module: AppModule,
      imports: [
        ServiceKitModule.forRoot(context),
        AuthModule.forRootAsync({ useFactory: stores.accounts, secrets: serviceSecrets(context) }),
        // Bitswap verifies each block that it reads and writes.
        BlockstoreModule.forRootAsync({ useFactory: () => stores.blocks({ pendingBytesMax }) }),
      ],
      providers: [
        { provide: ContentPolicy, useFactory: () => ContentPolicy.open(settings, logger) },
        {
          provide: SERVING,
          inject: [COLLECTABLE, Auth, ContentPolicy],
          useFactory: (blocks: CollectableBlockstore, auth: Auth, { serving }: ContentPolicy) =>
            openServing(settings, { blocks, pins: stores.pins, auth, condition: serving }, logger),
        },
        {
          provide: IPFS_PEER,
          inject: [COLLECTABLE, SERVING, ContentPolicy],
          useFactory: (store: CollectableBlockstore, serving: Serving, content: ContentPolicy) =>
            startPeer(settings, { ...stores, blocks: store, serving, content }, logger),
        },
        { provide: RAW_HTTP, useClass: PeerServer },
      ],
    };
  }
}
