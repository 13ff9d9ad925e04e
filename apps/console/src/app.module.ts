import {
  AccountAlerts,
  AccountMembers,
  type AccountStore,
  AccountViews,
  ApiTokens,
  Auth,
  Identities,
  MailboxProofs,
  Members,
  type SecretBox,
} from '@cairn/auth';
import { ACCOUNT_STORE, AuthModule, SECRETS, serviceSecrets } from '@cairn/auth/nest';
import { type BillingProvider, localBilling, StripeBilling } from '@cairn/billing';
import { loadNetworks } from '@cairn/chain-store';
import { errorChain } from '@cairn/errors';
import type { Metering } from '@cairn/metering';
import { METERING, MeteringModule } from '@cairn/metering/nest';
import { peerAudience } from '@cairn/peer-api';
import { PeerApiModule } from '@cairn/peer-api/nest';
import type { PinRequestStore } from '@cairn/pinning';
import { RAW_HTTP, sampleNetworkFile } from '@cairn/service-kit';
import { type ServiceContext, ServiceKitModule } from '@cairn/service-kit/nest';
import { openStores } from '@cairn/stores';
import {
  type DynamicModule,
  Inject,
  type MiddlewareConsumer,
  Module,
  type NestModule,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { APP_FILTER, APP_GUARD } from '@nestjs/core';
import { json, raw } from 'express';
import { type Addresses, addressesOf } from './addresses.ts';
import { AlertRunner } from './alerts/alert-runner.ts';
import { controllers } from './api/controllers.ts';
import { BodyLimits, bodyLimits } from './body-limits.ts';
import { ConsoleErrorFilter } from './console-error.filter.ts';
import { Entrance } from './entrance.ts';
import { FileKinds } from './files/file-kinds.ts';
import { FileLists } from './files/file-list.ts';
import { MailboxMails } from './mail/mailbox-mails.ts';
import { type Mailer, openMailer } from './mail/mailer.ts';
import { NetworkStates } from './network-states.ts';
import { EventStreams } from './networks/event-streams.ts';
import { ServiceUsages } from './operator/service-usages.ts';
import { RequestLog } from './request-log.ts';
import { ServiceStates } from './service-states.ts';
import { SessionCookie, SessionGuard } from './session.ts';
import type { ConsoleSettings } from './settings.ts';
import { sharedSignInAttempts } from './sign-in-attempts.ts';
import { openSingleSignOn } from './single-sign-on/single-sign-on.ts';
import type { ConsoleStores } from './stores.ts';
import { ADDRESSES, BILLING, MAILER, NETWORKS, PIN_REQUESTS, SINGLE_SIGN_ON, STORES } from './tokens.ts';
import { ResumableUploads } from './uploads/resumable-uploads.ts';
import { UploadRoom } from './uploads/upload-room.ts';
import { Upstream } from './upstream.ts';
import { WebPages } from './web-pages.ts';

/** Composition root: the only place that chooses adapters. */
@Module({})
export class AppModule implements NestModule, OnApplicationShutdown {
  constructor(
    @Inject(STORES) private readonly stores: ConsoleStores,
    @Inject(Entrance) private readonly entrance: Entrance,
    @Inject(MAILER) private readonly mailer: Mailer | undefined,
    @Inject(PIN_REQUESTS) private readonly requests: PinRequestStore,
    @Inject(ResumableUploads) private readonly uploads: ResumableUploads,
  ) {}

  static forRoot(this: void, context: ServiceContext<ConsoleSettings>): DynamicModule {
    const { settings, logger } = context;
    const stores = openStores(settings);
    return {
      module: AppModule,
      imports: [
        ServiceKitModule.forRoot(context),
        AuthModule.forRootAsync({ useFactory: stores.accounts, secrets: serviceSecrets(context) }),
        MeteringModule.forRootAsync({
          service: 'console',
          onError: (error) => logger.error({ causes: errorChain(error) }, 'limits or usage cannot be read'),
          useFactory: stores.metering,
        }),
        PeerApiModule.forRootAsync({
          url: settings.IPFS_PEER_URL,
          inject: [Auth],
          useFactory: (auth: Auth) => ({ token: () => auth.serviceToken(peerAudience) }),
        }),
      ],
      controllers,
      providers: [
        {
          provide: Members,
          inject: [Auth, ACCOUNT_STORE, SECRETS, METERING],
          useFactory: (auth: Auth, store: AccountStore, secrets: SecretBox, { limits }: Metering) =>
            new Members({ auth, store: store.members, secrets, attempts: sharedSignInAttempts(limits) }),
        },
        {
          provide: MailboxProofs,
          inject: [Members, ACCOUNT_STORE],
          useFactory: (members: Members, store: AccountStore) => new MailboxProofs({ members, store: store.members }),
        },
        {
          provide: AccountMembers,
          inject: [ACCOUNT_STORE],
          useFactory: (store: AccountStore) => new AccountMembers({ store }),
        },
        {
          provide: AccountAlerts,
          inject: [ACCOUNT_STORE],
          useFactory: (store: AccountStore) => new AccountAlerts({ store }),
        },
        { provide: PIN_REQUESTS, useFactory: stores.pinRequests },
        AlertRunner,
        { provide: SINGLE_SIGN_ON, useValue: openSingleSignOn(settings, logger) },
        {
          provide: Identities,
          inject: [Auth, ACCOUNT_STORE],
          useFactory: (auth: Auth, store: AccountStore) => new Identities({ auth, store }),
        },
        { provide: MAILER, useValue: openMailer(settings, logger) },
        MailboxMails,
        {
          provide: STORES,
          inject: [METERING],
          useFactory: async ({ plans, usage, limits, requestLog }: Metering): Promise<ConsoleStores> => ({
            plans,
            usage,
            limits,
            requestLog,
            pins: await stores.pins(),
            billing: await stores.billing(),
          }),
        },
        {
          provide: BILLING,
          inject: [Auth, STORES],
          useFactory: (auth: Auth, used: ConsoleStores) => billingOf(settings, auth, used),
        },
        { provide: ADDRESSES, useValue: addressesOf(settings) },
        {
          provide: NETWORKS,
          useFactory: () =>
            loadNetworks(settings.CAIRN_NETWORKS ?? sampleNetworkFile(import.meta.url, 'networks.json')),
        },
        RequestLog,
        Upstream,
        NetworkStates,
        {
          provide: ServiceStates,
          inject: [ADDRESSES, Upstream],
          useFactory: (addresses: Addresses, upstream: Upstream) => new ServiceStates(addresses, upstream),
        },
        EventStreams,
        FileKinds,
        {
          provide: FileLists,
          inject: [STORES],
          useFactory: ({ pins }: ConsoleStores) => new FileLists(pins),
        },
        {
          provide: ApiTokens,
          inject: [ACCOUNT_STORE],
          useFactory: (store: AccountStore) => new ApiTokens({ store }),
        },
        {
          provide: AccountViews,
          inject: [ACCOUNT_STORE],
          useFactory: (store: AccountStore) => new AccountViews({ store }),
        },
        {
          provide: ResumableUploads,
          useFactory: () =>
            new ResumableUploads({ home: settings.CAIRN_HOME, bytesMax: settings.CAIRN_UPLOAD_BYTES_MAX, logger }),
        },
        UploadRoom,
        ServiceUsages,
        Entrance,
        SessionCookie,
        { provide: APP_GUARD, useClass: SessionGuard },
        { provide: APP_FILTER, useFactory: () => new ConsoleErrorFilter(logger) },
        { provide: RAW_HTTP, useClass: WebPages },
      ],
    };
  }

  configure(consumer: MiddlewareConsumer): void {
    consumer.apply(new BodyLimits(this.entrance).check).forRoutes('api/*path');
    // Webhook signatures cover the raw bytes.
    consumer
      .apply(raw({ type: () => true, limit: bodyLimits.webhookBytesMax, inflate: false }))
      .forRoutes('api/billing/webhook');
    consumer
      .apply(json({ limit: bodyLimits.callBytesMax, strict: false, inflate: false }))
      .exclude('api/billing/webhook')
      .forRoutes('api/*path');
  }

  async onApplicationShutdown(): Promise<void> {
    this.uploads.close();
    await this.mailer?.close();
    const { pins, billing } = this.stores;
    await Promise.all([pins, billing, this.requests].map((store) => store.close()));
  }
}

function billingOf(
  settings: ConsoleSettings,
  auth: Auth,
  { billing: store, plans }: Pick<ConsoleStores, 'billing' | 'plans'>,
): BillingProvider {
  const { CAIRN_STRIPE_SECRET_KEY: secretKey, CAIRN_STRIPE_WEBHOOK_SECRET: webhookSecret } = settings;
  if (secretKey === undefined || webhookSecret === undefined) return localBilling;
  const { CAIRN_STRIPE_API_URL: apiUrl, CAIRN_SIGN_UP_PLAN: planAfter } = settings;
  return new StripeBilling({
    ...{ auth, store, secretKey, webhookSecret, apiUrl, planAfter },
    plans: () => plans.plans(),
  });
}
