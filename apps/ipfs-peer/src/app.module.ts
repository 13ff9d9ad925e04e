import { type AccountStore, Auth, keepSecret, type SecretBox } from '@cairn/auth';
import { ACCOUNT_STORE, AuthModule, SECRETS, serviceSecrets } from '@cairn/auth/nest';
import type { CollectableBlockstore } from '@cairn/blockstore';
import { BlockstoreModule, COLLECTABLE } from '@cairn/blockstore/nest';
import { openPeerIdentity, type PeerIdentity, peerIdentitySecret } from '@cairn/peer-api/identity';
import { RAW_HTTP } from '@cairn/service-kit';
import { type ServiceContext, ServiceKitModule } from '@cairn/service-kit/nest';
import { openStores } from '@cairn/stores';
import { type DynamicModule, Module } from '@nestjs/common';
import { ContentPolicy } from './content-policy.ts';
import { startPeer } from './peer-process.ts';
import { PeerServer } from './peer-server.ts';
import { openServing, type Serving } from './serving.ts';
import type { IpfsPeerSettings } from './settings.ts';
import { IPFS_PEER, PEER_IDENTITY, SERVING } from './tokens.ts';

const MiB = 1024 * 1024;

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
        // Bitswap verifies each block that it reads, and each one that it fetches and stores.
        BlockstoreModule.forRootAsync({ useFactory: () => stores.blocks({ pendingBytesMax: 8 * MiB }) }),
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
          provide: PEER_IDENTITY,
          inject: [ACCOUNT_STORE, SECRETS],
          useFactory: (accounts: AccountStore, secrets: SecretBox) => identityOf(settings, accounts, secrets),
        },
        {
          provide: IPFS_PEER,
          inject: [PEER_IDENTITY, COLLECTABLE, SERVING, ContentPolicy],
          useFactory: (
            identity: PeerIdentity,
            store: CollectableBlockstore,
            serving: Serving,
            content: ContentPolicy,
          ) => startPeer(settings, { ...stores, identity, blocks: store, serving, content }, logger),
        },
        { provide: RAW_HTTP, useClass: PeerServer },
      ],
    };
  }
}

/** Opens the identity, which storage-api reports as well: from the home, or sealed from the database. */
function identityOf(
  { CAIRN_HOME: home, CAIRN_DATABASE_URL }: IpfsPeerSettings,
  accounts: AccountStore,
  secrets: SecretBox,
): Promise<PeerIdentity> {
  const keep = (create: () => string) => keepSecret(accounts, secrets, { name: peerIdentitySecret, create });
  return openPeerIdentity(CAIRN_DATABASE_URL === undefined ? { home } : { keep });
}
