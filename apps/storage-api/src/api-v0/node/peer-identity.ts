import { type PeerIdentity as Identity, openPeerIdentity } from '@cairn/peer-api/identity';
import { SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { StorageSettings } from '../../settings.ts';

/** Identity of the home for `id`, created at its first use. The IPFS peer has the same one. */
@Injectable()
export class PeerIdentity {
  #identity: Promise<Identity> | undefined;

  constructor(@Inject(SETTINGS) private readonly settings: StorageSettings) {}

  get(): Promise<Identity> {
    this.#identity ??= openPeerIdentity({ home: this.settings.CAIRN_HOME }).catch((error: unknown) => {
      this.#identity = undefined;
      throw error;
    });
    return this.#identity;
  }
}
