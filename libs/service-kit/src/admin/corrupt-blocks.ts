import type { Registry } from 'prom-client';
import type { Logger } from '../logger.ts';
import { registerGauge } from './gauges.ts';

/** A store that reports each block that this process has quarantined. */
export interface QuarantineSource {
  onQuarantined(listener: (cid: { toString(): string }) => void): void;
}

/** Logs and counts the blocks that this process quarantines: the metric `cairn_corrupt_blocks`, which has an alert. */
export function registerCorruptBlocks(
  registry: Registry,
  { store, logger }: { readonly store: QuarantineSource; readonly logger: Pick<Logger, 'error'> },
): void {
  let corruptBlocks = 0;
  store.onQuarantined((cid) => {
    corruptBlocks++;
    logger.error({ cid: String(cid) }, 'a corrupt block was quarantined');
  });
  registerGauge(
    registry,
    'cairn_corrupt_blocks',
    'Corrupt blocks that reads and checks have quarantined since the start.',
    () => corruptBlocks,
  );
}
