import { errorChain } from '@cairn/errors';
import { NameRepublisher, type StoredRecord } from '@cairn/ipns';
import type { PeerApi } from '@cairn/peer-api';
import { PEER_API } from '@cairn/peer-api/nest';
import { type Logger, type Registry, registerGauge } from '@cairn/service-kit';
import { LOGGER } from '@cairn/service-kit/nest';
import {
  Inject,
  Injectable,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
  type OnModuleDestroy,
} from '@nestjs/common';
import { AccountNames } from './account-names.ts';

/**
 * Runs the schedule of IPNS records in this process, which can open the keys that sign. Processes of one home share the
 * schedule: each record is taken by one of them.
 */
@Injectable()
export class NameSchedule implements OnApplicationBootstrap, OnModuleDestroy, OnApplicationShutdown {
  readonly #names: AccountNames;
  readonly #republisher: NameRepublisher;

  constructor(
    @Inject(AccountNames) names: AccountNames,
    @Inject(PEER_API) peer: PeerApi | undefined,
    @Inject(LOGGER) logger: Logger,
  ) {
    this.#names = names;
    this.#republisher = new NameRepublisher({
      records: names.store.records,
      openKey: async (account, { name }: StoredRecord) => {
        const key = (await names.store.keys.list(account)).find((each) => each.name.equals(name));
        return key && names.open(account, key);
      },
      putToNetwork: peer && ((key, value, signal) => peer.routing.put(key, value, { signal })),
      onError: (error) => logger.warn({ causes: errorChain(error) }, 'an IPNS record could not be put to the network'),
    });
  }

  onApplicationBootstrap(): void {
    this.#republisher.start();
  }

  async onModuleDestroy(): Promise<void> {
    await this.#republisher.stop();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.#names.store.close();
  }

  registerMetrics(registry: Registry): void {
    const { counts } = this.#republisher;
    const { records } = this.#names.store;
    registerGauge(registry, 'cairn_name_records', 'IPNS records in the store.', () => records.recordCount(), [], 'max');
    const scheduled = () => records.scheduledCount();
    registerGauge(registry, 'cairn_name_records_scheduled', 'IPNS records in the schedule.', scheduled, [], 'max');
    registerGauge(
      registry,
      'cairn_name_records_announced',
      'Puts of IPNS records to the network since the start.',
      () => counts.announced,
    );
    registerGauge(
      registry,
      'cairn_name_records_failed',
      'Failed puts of IPNS records since the start.',
      () => counts.failed,
    );
    registerGauge(
      registry,
      'cairn_name_records_renewed',
      'IPNS records that were signed again since the start.',
      () => counts.renewed,
    );
    registerGauge(
      registry,
      'cairn_name_record_oldest_seconds',
      'Time since the oldest of the last puts of IPNS records to the network.',
      async () => (await this.#republisher.oldestSeconds()) ?? 0,
      [],
      'max',
    );
  }
}
