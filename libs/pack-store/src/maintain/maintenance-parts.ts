import type { ObjectStore } from '@cairn/object-store';
import type { BlockIndex } from '../index/block-index.ts';
import type { OnPack, PackEntry, PackReader, PackWriter } from '../types.ts';

/** Parts of a pack store that maintenance uses. */
export interface MaintenanceParts {
  readonly index: BlockIndex;
  readonly objects: Pick<ObjectStore, 'list' | 'deleteMany'>;
  /** Reads the object store itself, without a cache. */
  readonly reader: PackReader;
  /** Creates a writer that closes packs when they are full or flushed, not by time. */
  readonly createWriter: (onPack: OnPack) => PackWriter;
  /** Reads the index at the end of a pack. */
  readonly readEntries: (
    pack: { readonly key: string; readonly bytes: number },
    options: { readonly signal?: AbortSignal },
  ) => Promise<readonly PackEntry[]>;
}

export interface MaintenanceOptions {
  readonly signal?: AbortSignal;
}

export const packPrefix = 'packs/';
