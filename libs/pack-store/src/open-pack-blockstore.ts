import type { BatchReads, BoundedBlockstore } from '@cairn/blockstore';
import type { BlockVerifier } from '@cairn/cid';
import type { ObjectStore } from '@cairn/object-store';
import type { Postgres } from '@cairn/postgres';
import { BlockIndex } from './index/block-index.ts';
import { packLimits } from './limits.ts';
import { createMaintenance, type PackMaintenance } from './maintain/pack-maintenance.ts';
import { readPackEntries } from './pack/read-pack-entries.ts';
import { PackBlockstore } from './pack-blockstore.ts';
import { createPackReader } from './read/pack-reader.ts';
import type { PackReader } from './types.ts';
import { createPackWriter, type PackWriterOptions } from './write/pack-writer.ts';

export interface PackBlockstoreOptions {
  /** Database of the index. It belongs to the caller. */
  readonly database: Postgres;
  /** Bucket of the packs. It belongs to the caller. */
  readonly objects: ObjectStore;
  /** Reads blocks, such as a reader with a local cache. Default: one without a cache. */
  readonly reader?: PackReader;
  /** Verifies each block that the default reader reads. Default: `verifyBytesInBackground`, which hashes it; maintenance does so always. */
  readonly verify?: BlockVerifier | undefined;
  /** Limit of the sum of all block lengths, in bytes. Default: none. */
  readonly bytesMax?: number | undefined;
  /**
   * Milliseconds for which a read uses the place of a block again without a lookup. A block that another process removed meanwhile
   * is still read; checks for pins always look it up. Default 0.
   */
  readonly rowAgeMsMax?: number | undefined;
  readonly writer?: Omit<PackWriterOptions, 'objects' | 'onPack'>;
  /** Time after which a silent process counts as ended, with its holds. Default 60. */
  readonly silentSeconds?: number;
  /** Clock of tests, in milliseconds since 1970. Default: the clock of the database. */
  readonly now?: () => number;
}

/** A block store in an object store, with the maintenance of its packs. */
export type PackStore = BoundedBlockstore & BatchReads & { readonly maintenance: PackMaintenance };

/**
 * Opens a block store with bytes in an object store and an index in PostgreSQL. Any number of processes may open it.
 * @throws the errors of `Postgres.migrate`
 */
export async function openPackBlockstore(options: PackBlockstoreOptions): Promise<PackStore> {
  const { database, objects, bytesMax, rowAgeMsMax, now, silentSeconds, verify } = options;
  const index = await BlockIndex.open({ database, now, silentSeconds });
  const direct = createPackReader({ objects });
  const store = new PackBlockstore({
    index,
    writer: createPackWriter({ ...options.writer, objects, onPack: index.onPack }),
    reader: options.reader ?? (verify === undefined ? direct : createPackReader({ objects, verify })),
    bytesMax,
    rowAgeMsMax,
    hasOtherPacks: async (pack) => {
      const keys = await index.packs.keysBeside(pack, witnessesMax);
      for (const key of keys) if ((await objects.stat(key)) !== undefined) return true;
      return false;
    },
  });
  const maintenance = createMaintenance({
    index,
    objects,
    reader: direct,
    // A rewrite fills its packs: only a full pack and a flush close one.
    createWriter: (onPack) =>
      createPackWriter({
        objects,
        onPack,
        waitMs: rewriteWaitMs,
        uploadsMax: 1,
        pendingBytesMax: 2 * packLimits.packBytes,
      }),
    readEntries: (pack, readOptions) => readPackEntries(objects, pack, readOptions),
  });
  return Object.assign(store, { maintenance });
}

const rewriteWaitMs = 600_000;
/** Newest and oldest packs that are looked for when a pack is missing: a restored bucket can lack the newest ones. */
const witnessesMax = 2;
