import type { Block } from '@cairn/blockstore';
import { isCairnError } from '@cairn/errors';
import { cidOfMultihash } from '../index/multihash.ts';
import type { PackRow } from '../index/pack-rows.ts';
import type { BlockLocation } from '../types.ts';
import type { MaintenanceOptions, MaintenanceParts } from './maintenance-parts.ts';

const rowsPerRead = 1024;
/** Bytes of blocks in memory. A single block may be longer. */
const batchBytes = 4 * 1024 * 1024;

/** Blocks that were read and verified, and those whose bytes do not match. */
export interface LiveBatch {
  readonly blocks: readonly Block[];
  readonly corrupt: readonly BlockLocation[];
  /** Blocks whose pack does not exist. */
  readonly missing: readonly BlockLocation[];
  readonly bytes: number;
}

/** Reads the live blocks of a pack in batches. @throws errors of the object store */
export async function* liveBlocksOf(
  { index, reader }: Pick<MaintenanceParts, 'index' | 'reader'>,
  { id, key }: PackRow,
  { signal }: MaintenanceOptions = {},
): AsyncGenerator<LiveBatch> {
  for (let after = -1; ; ) {
    signal?.throwIfAborted();
    const rows = await index.packs.liveBlocks(id, after, rowsPerRead);
    let batch: BlockLocation[] = [];
    let bytes = 0;
    for (const { multihash, start, length } of rows) {
      if (batch.length > 0 && bytes + length > batchBytes) {
        yield await read(reader, batch, bytes);
        batch = [];
        bytes = 0;
      }
      batch.push({ cid: cidOfMultihash(multihash), pack: key, offset: start, length });
      bytes += length;
    }
    if (batch.length > 0) yield await read(reader, batch, bytes);
    const last = rows.at(-1);
    if (last === undefined || rows.length < rowsPerRead) return;
    after = last.start;
  }
}

async function read(
  reader: MaintenanceParts['reader'],
  locations: readonly BlockLocation[],
  bytes: number,
): Promise<LiveBatch> {
  try {
    const found = await reader.getMany(locations);
    return {
      blocks: locations.flatMap(({ cid }, at) => (found[at] ? [{ cid, bytes: found[at] }] : [])),
      corrupt: [],
      missing: [],
      bytes,
    };
  } catch (error) {
    if (!isCorruption(error) && !isMissing(error)) throw error;
  }
  const blocks: Block[] = [];
  const corrupt: BlockLocation[] = [];
  const missing: BlockLocation[] = [];
  for (const location of locations) {
    try {
      blocks.push({ cid: location.cid, bytes: await reader.get(location) });
    } catch (error) {
      if (isMissing(error)) missing.push(location);
      else if (isCorruption(error)) corrupt.push(location);
      else throw error;
    }
  }
  return { blocks, corrupt, missing, bytes };
}

/** Reports whether an error says that stored bytes are not those of the block. */
export function isCorruption(error: unknown): boolean {
  return ['PACK_CORRUPT', 'BLOCK_CORRUPT', 'OBJECT_RANGE_INVALID'].some((code) => isCairnError(error, code));
}

/** Reports whether an error says that the pack of a block does not exist. */
export function isMissing(error: unknown): boolean {
  return isCairnError(error, 'OBJECT_NOT_FOUND');
}
