import type { BoundedBlockstore } from '@cairn/blockstore';
import type { PackMaintenance } from '@cairn/pack-store';

/** Returns the maintenance of packs of a store that `openStores` opened; `undefined` in the embedded form. */
export function packMaintenanceOf(
  store: BoundedBlockstore & { readonly maintenance?: PackMaintenance },
): PackMaintenance | undefined {
  return store.maintenance;
}
