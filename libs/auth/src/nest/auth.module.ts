import { type DynamicModule, type FactoryProvider, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { AccountStore } from '../account-store.ts';
import { Auth } from '../auth.ts';
import type { SecretBox } from '../secrets/secret-box.ts';

/** Injection token of the {@link AccountStore}. */
export const ACCOUNT_STORE = Symbol('ACCOUNT_STORE');
/** Injection token of the {@link SecretBox}, `undefined` where the application opens none. */
export const SECRETS = Symbol('SECRETS');

export interface AuthModuleOptions {
  readonly inject?: FactoryProvider['inject'];
  /** Opens the account store. The module closes it. */
  readonly useFactory: (...dependencies: never[]) => Promise<AccountStore> | AccountStore;
  /** Opens the keys that delegations are signed with. Default: a secret of the store. */
  readonly secrets?: (store: AccountStore) => Promise<SecretBox>;
}

/** Provides {@link Auth}, its store and its secrets to the whole application. Closes the store at shutdown. */
@Module({})
export class AuthModule implements OnApplicationShutdown {
  constructor(@Inject(Auth) private readonly auth: Auth) {}

  static forRootAsync({ inject, useFactory, secrets }: AuthModuleOptions): DynamicModule {
    return {
      module: AuthModule,
      global: true,
      providers: [
        { provide: ACCOUNT_STORE, inject: inject ?? [], useFactory },
        { provide: SECRETS, inject: [ACCOUNT_STORE], useFactory: (store: AccountStore) => secrets?.(store) },
        {
          provide: Auth,
          inject: [ACCOUNT_STORE, { token: SECRETS, optional: true }],
          useFactory: (store: AccountStore, box: SecretBox | undefined) => new Auth({ store, secrets: box }),
        },
      ],
      exports: [Auth, ACCOUNT_STORE, SECRETS],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.auth.close();
  }
}
