import { type DynamicModule, type FactoryProvider, Inject, Module, type OnApplicationShutdown } from '@nestjs/common';
import type { AccountStore } from '../account-store.ts';
import { Auth } from '../auth.ts';
import type { SecretBox } from '../secrets/secret-box.ts';

/** Injection token of {@link Auth}. */
export const AUTH = Symbol('AUTH');

export interface AuthModuleOptions {
  readonly inject?: FactoryProvider['inject'];
  /** Opens the account store. The module closes it. */
  readonly useFactory: (...dependencies: never[]) => Promise<AccountStore> | AccountStore;
  /** Opens the keys that delegations are signed with. Default: a secret of the store. */
  readonly secrets?: (store: AccountStore) => Promise<SecretBox>;
}

/** Provides {@link Auth} to the whole application and closes its store at shutdown. */
@Module({})
export class AuthModule implements OnApplicationShutdown {
  constructor(@Inject(AUTH) private readonly auth: Auth) {}

  static forRootAsync({ inject, useFactory, secrets }: AuthModuleOptions): DynamicModule {
    return {
      module: AuthModule,
      global: true,
      providers: [
        {
          provide: AUTH,
          inject: inject ?? [],
          useFactory: async (...dependencies: never[]) => {
            const store = await useFactory(...dependencies);
            return new Auth({ store, secrets: await secrets?.(store) });
          },
        },
      ],
      exports: [AUTH],
    };
  }

  async onApplicationShutdown(): Promise<void> {
    await this.auth.close();
  }
}
