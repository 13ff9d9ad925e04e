import type { ReadOptions } from '@cairn/blockstore';
import { type BlockVerifier, verifyBytesInBackground } from '@cairn/cid';
import { isCairnError } from '@cairn/errors';
import type { ObjectStore } from '@cairn/object-store';
import { packCorrupt } from '../errors.ts';
import type { BlockLocation, PackReader } from '../types.ts';
import { PackWindows } from './pack-windows.ts';
import { planRanges } from './plan-ranges.ts';

/** Bytes hashed in one turn of the event loop: one to three milliseconds. */
const sliceBytes = 2 * 1024 * 1024;

export interface PackReaderOptions {
  readonly objects: ObjectStore;
  /** Verifies each block. Default: `verifyBytesInBackground`, which hashes it. */
  readonly verify?: BlockVerifier | undefined;
}

/** Creates a reader of packs. Concurrent reads of one place share a request. */
export function createPackReader({ objects, verify = verifyBytesInBackground }: PackReaderOptions): PackReader {
  return new RangeReader(objects, verify);
}

class RangeReader implements PackReader {
  readonly #objects: ObjectStore;
  readonly #windows: PackWindows;
  readonly #verify: BlockVerifier;

  constructor(objects: ObjectStore, verify: BlockVerifier) {
    this.#verify = verify;
    this.#objects = objects;
    this.#windows = new PackWindows(objects);
  }

  async get(location: BlockLocation, options: ReadOptions = {}): Promise<Uint8Array> {
    const bytes = await this.#read(location, options.signal);
    return this.#verified(location, bytes, options.signal);
  }

  async getMany(locations: readonly BlockLocation[], options: ReadOptions = {}): Promise<Uint8Array[]> {
    const { signal } = options;
    const blocks = new Array<Uint8Array>(locations.length);
    let sinceYield = 0;
    await Promise.all(
      planRanges(locations).map(async (range) => {
        const bytes = await this.#read(range, signal);
        for (const index of range.members) {
          const location = locations[index] as BlockLocation;
          const start = location.offset - range.offset;
          blocks[index] = await this.#verified(location, bytes.subarray(start, start + location.length), signal);
          sinceYield += location.length;
          if (sinceYield < sliceBytes) continue;
          sinceYield = 0;
          await new Promise((resolve) => setImmediate(resolve));
        }
      }),
    );
    return blocks;
  }

  async #read(range: Omit<BlockLocation, 'cid'>, signal: AbortSignal | undefined): Promise<Uint8Array> {
    if (range.length === 0) return new Uint8Array(0);
    try {
      return await this.#windows.read(range, signal);
    } catch (error) {
      if (!isCairnError(error, 'OBJECT_RANGE_INVALID')) throw error;
      throw packCorrupt(range.pack, `it ends before byte ${range.offset + range.length}`, error);
    }
  }

  /** Verifies bytes, and reads damaged ones once more: the network may have damaged them. */
  async #verified(location: BlockLocation, bytes: Uint8Array, signal: AbortSignal | undefined): Promise<Uint8Array> {
    const { cid, pack, offset, length } = location;
    if (await this.#isBlock(location, bytes)) return owned(bytes);
    this.#windows.forget(location);
    const again =
      length === 0 ? bytes : await this.#objects.get(pack, { range: { offset, length }, ...(signal && { signal }) });
    if (await this.#isBlock(location, again)) return again;
    throw packCorrupt(pack, `its bytes ${offset} to ${offset + length} are not block ${cid}`);
  }

  async #isBlock({ cid }: BlockLocation, bytes: Uint8Array): Promise<boolean> {
    try {
      await this.#verify(cid, bytes);
      return true;
    } catch (error) {
      if (isCairnError(error, 'BLOCK_CORRUPT')) return false;
      throw error;
    }
  }
}

/** A block that its reader keeps must not keep a longer range in memory. */
function owned(bytes: Uint8Array): Uint8Array {
  return bytes.length === bytes.buffer.byteLength ? bytes : Uint8Array.prototype.slice.call(bytes);
}
