import type { BoundedBlockstore } from '@cairn/blockstore';
import { COLLECTABLE } from '@cairn/blockstore/nest';
import { storeStates } from '@cairn/embedded-store';
import { errorText } from '@cairn/errors';
import { type Dependency, type Logger, type Registry, registerCorruptBlocks, registerGauge } from '@cairn/service-kit';
import { LOGGER, SETTINGS } from '@cairn/service-kit/nest';
import { Inject, Injectable } from '@nestjs/common';
import type { StorageSettings } from '../settings.ts';
import { StoreMaintenance } from '../store-maintenance.ts';
import { Uploads } from './uploads.ts';

/** State of the store, for operators. */
@Injectable()
export class StorageState {
  constructor(
    @Inject(COLLECTABLE) private readonly store: BoundedBlockstore,
    @Inject(Uploads) private readonly uploads: Uploads,
    @Inject(StoreMaintenance) private readonly maintenance: StoreMaintenance,
    @Inject(SETTINGS) private readonly settings: StorageSettings,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  dependencies(): readonly Dependency[] {
    const stores = storeStates(this.settings.CAIRN_HOME);
    if (stores.some(({ problem }) => problem !== undefined)) return stores;
    try {
      this.store.fullness();
      return stores;
    } catch (error) {
      return [{ name: 'blocks', problem: errorText(error) }];
    }
  }

  registerMetrics(registry: Registry): void {
    const { store, uploads, logger } = this;
    const { counts } = this.maintenance;
    registerGauge(
      registry,
      'cairn_store_bytes',
      'Sum of the lengths of all blocks.',
      () => store.fullness().bytes,
      [],
      'max',
    );
    // Without a limit in the settings the disk is the limit.
    registerGauge(
      registry,
      'cairn_store_bytes_max',
      'Limit of the sum of the lengths of all blocks.',
      () => store.fullness().bytesMax,
      [],
      'max',
    );
    registerGauge(registry, 'cairn_uploads', 'Running adds.', () => uploads.running);
    registerGauge(registry, 'cairn_collections', 'Garbage collections since the start.', () => counts.collections);
    registerGauge(registry, 'cairn_scrubbed_blocks', 'Blocks verified since the start.', () => counts.scrubbedBlocks);
    registerCorruptBlocks(registry, { store, logger });
  }
}
