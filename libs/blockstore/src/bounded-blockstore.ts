import type { Fullness } from './capacity.ts';
import type { CollectableBlockstore } from './collectable.ts';

/** A store with a limit: the port for maintenance, which collects garbage before the limit is reached. */
export interface BoundedBlockstore extends CollectableBlockstore {
  /** Returns the stored bytes and their limit. Cheap enough for every request. */
  fullness(): Fullness;
}
