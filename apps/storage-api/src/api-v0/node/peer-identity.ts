import { type AccountStore, keepSecret, type SecretBox } from '@cairn/auth';
import { ACCOUNT_STORE, SECRETS } from '@cairn/auth/nest';
import { type PeerIdentity as Identity, openPeerIdentity, peerIdentitySecret } from '@cairn/peer-api/identity';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { StorageSettings } from '../../settings.ts';

/** Identity of the home, or of the database, for `id`. It is created at its first use. The IPFS peer has the same one. */
@Injectable()
export class PeerIdentity {
  #identity: Promise<Identity> | undefined;

  constructor(
    @Inject(SETTINGS) private readonly settings: StorageSettings,
    @Inject(ACCOUNT_STORE) private readonly accounts: AccountStore,
    @Inject(SECRETS) private readonly secrets: SecretBox,
  ) {}

  get(): Promise<Identity> {
    const { CAIRN_HOME: home, CAIRN_DATABASE_URL } = this.settings;
    const keep = (create: () => string) =>
      keepSecret(this.accounts, this.secrets, { name: peerIdentitySecret, create });
    this.#identity ??= openPeerIdentity(CAIRN_DATABASE_URL === undefined ? { home } : { keep }).catch(
      (error: unknown) => {
        this.#identity = undefined;
        throw error;
      },
    );
    return this.#identity;
  }
}
