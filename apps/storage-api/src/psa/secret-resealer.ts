import { resealSecrets } from '@cairn/auth';
import { errorChain } from '@cairn/errors';
import type { NameStore } from '@cairn/ipns';
import type { PinRequestStore } from '@cairn/pinning';
import type { Logger, ProcessGroup } from '@cairn/service-kit';
import { LOGGER, PROCESSES, SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleDestroy } from '@nestjs/common';
import { NAME_STORE } from '../api-v0/names/name-store.token.ts';
import type { StorageSettings } from '../settings.ts';
import { PIN_REQUEST_STORE } from './pin-request-store.token.ts';

/**
 * Seals keys of IPNS names and secrets of webhooks with the first key after a start, since a key in a setting is replaced
 * with a restart.
 */
@Injectable()
export class SecretResealer implements OnApplicationBootstrap, OnModuleDestroy {
  #running: Promise<void> | undefined;

  constructor(
    @Inject(NAME_STORE) private readonly names: NameStore,
    @Inject(PIN_REQUEST_STORE) private readonly requests: PinRequestStore,
    @Inject(SETTINGS) private readonly settings: StorageSettings,
    @Inject(PROCESSES) private readonly processes: ProcessGroup,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  onApplicationBootstrap(): void {
    this.processes.whenLeading(() => {
      this.#running = this.#reseal();
    });
  }

  async onModuleDestroy(): Promise<void> {
    await this.#running;
  }

  async #reseal(): Promise<void> {
    const { CAIRN_HOME: home, CAIRN_SECRETS_KEY: key, CAIRN_SECRETS_KEY_FILE: keyFile } = this.settings;
    try {
      const resealed = await resealSecrets({ home, key, keyFile }, [this.names.keys, this.requests.webhooks]);
      if (resealed > 0) this.logger.info({ resealed }, 'keys of names and secrets of webhooks were sealed');
    } catch (error) {
      this.logger.error({ causes: errorChain(error) }, 'keys of names and secrets of webhooks could not be sealed');
    }
  }
}
